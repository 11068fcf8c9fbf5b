//! What IDENTITY.md says about the assistant, for the window: name, emoji, avatar, role.
//!
//! Invariant: any text is accepted; what is not found is empty.

/// The assistant's card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// What it is called.
    pub name: Option<String>,
    /// One emoji.
    pub emoji: Option<String>,
    /// Path within the workspace, or a URL.
    pub avatar: Option<String>,
    /// What it is.
    pub role: Option<String>,
}

const MAX_CHARS: usize = 200;

/// Reads `- **Name:** X`, `Name: X`, `名字：X` and their like. The first of each counts; a
/// placeholder in brackets or an empty value does not.
#[must_use]
pub fn identity(text: &str) -> Identity {
    let mut found = Identity::default();
    let mut open: Option<Field> = None;
    for line in text.lines() {
        if let Some((field, value)) = field(line) {
            let value = clean(value);
            open = value.is_none().then_some(field);
            found.set(field, value);
        } else if let Some(field) = open.take() {
            // The value may stand on the line below, indented.
            if line.starts_with([' ', '\t']) {
                found.set(field, clean(line));
            } else if line.trim().is_empty() {
                open = Some(field);
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Emoji,
    Avatar,
    Role,
}

impl Identity {
    fn set(&mut self, field: Field, value: Option<String>) {
        let slot = match field {
            Field::Name => &mut self.name,
            Field::Emoji => &mut self.emoji,
            Field::Avatar => &mut self.avatar,
            Field::Role => &mut self.role,
        };
        if slot.is_none() {
            *slot = value;
        }
    }
}

fn field(line: &str) -> Option<(Field, &str)> {
    let (label, value) = line.split_once([':', '：'])?;
    let is_mark = |c: char| c.is_whitespace() || "-*+_#>`\u{feff}".contains(c);
    let label = label.trim_matches(is_mark).to_lowercase();
    let field = match label.as_str() {
        "name" | "名字" | "名称" | "姓名" | "名" => Field::Name,
        "emoji" | "signature emoji" | "表情" | "表情符号" | "标志" => Field::Emoji,
        "avatar" | "头像" => Field::Avatar,
        "role" | "creature" | "角色" | "职责" | "身份" => Field::Role,
        _ => return None,
    };
    Some((field, value))
}

fn clean(value: &str) -> Option<String> {
    let is_mark = |c: char| c.is_whitespace() || "*_`\"'“”「」".contains(c);
    let value = value.trim_matches(is_mark);
    let placeholder = (value.starts_with(['(', '（']) && value.ends_with([')', '）']))
        || (value.starts_with('[') && value.ends_with(']'));
    let usable = !value.is_empty() && !placeholder && !value.starts_with("<!--");
    usable.then(|| value.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, emoji: &str, avatar: &str, role: &str) {
        let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
        let expected = Identity {
            name: some(name),
            emoji: some(emoji),
            avatar: some(avatar),
            role: some(role),
        };
        assert_eq!(identity(text), expected, "{text}");
    }

    #[test]
    fn every_usual_form_is_read() {
        check(
            "- **Name:** Ada\n- **Role:** librarian\n- **Emoji:** 📚\n",
            "Ada",
            "📚",
            "",
            "librarian",
        );
        check("**Name**: Ada\n* Avatar: avatars/ada.png", "Ada", "", "avatars/ada.png", "");
        check("\u{feff}Name: Ada\r\nEmoji: 🔥\r\n", "Ada", "🔥", "", "");
        check(
            "# 身份\n- **名字：** 小炉\n角色：助理\n头像：https://x.org/a.png",
            "小炉",
            "",
            "https://x.org/a.png",
            "助理",
        );
        check("- **Avatar:** https://x.org/a:b.png", "", "", "https://x.org/a:b.png", "");
        check("name: *Ada Lovelace*\nname: Bob", "Ada Lovelace", "", "", "");
    }

    #[test]
    fn placeholders_and_noise_are_no_value() {
        let template = "- **Name:**\n  _(pick something you like)_\n- **Creature:**\n  a lobster\n- **Emoji:** _(your sign)_\n";
        check(template, "", "", "", "a lobster");
        check("- **Name:**\n\n- other line\n  not a name", "", "", "", "");
        check("Just a text: nothing here\n:\n：", "", "", "", "");
        check("", "", "", "", "");
    }
}
