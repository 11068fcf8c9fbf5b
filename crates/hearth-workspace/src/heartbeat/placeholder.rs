//! Words that only ask for tasks: `_Add tasks below_`, `（可选：在这里写任务）`.
//!
//! They are known by standing in emphasis or brackets and by having no word of anything else. A task that
//! somebody has put in brackets has such a word, and stays one.

/// What a placeholder asks to do with the place it stands in, or says of it.
const ASKS: &str = " add write put list enter type insert fill describe optional placeholder example empty none nothing ";
/// What is asked for, or where it shall stand.
const OBJECTS: &str = " task tasks item items check checks checklist reminder reminders todo todos to-do to-dos thing things \
    something anything here below above job jobs entry entries ";
/// Where it shall stand.
const PLACES: &str = " here below above ";
/// Words between these.
const BETWEEN: &str = " a an and any are as at be beat beats by can checked do done each every file first for from \
    hearth heartbeat heartbeats i if in is it later leave like line lines list me more needed new no of on one or own \
    periodic periodically please recurring regular section short should so some that the this to under up want wanted \
    watched what when with yet you your e.g eg i.e ie ";

/// The same in Chinese, longer ones first.
const ASKS_ZH: [&str; 19] = [
    "可选", "选填", "示例", "占位", "暂无", "留空", "写下", "添加", "填写", "填入", "输入", "列出",
    "加入", "放入", "增加", "补充", "编辑", "写", "填",
];
const OBJECTS_ZH: [&str; 19] = [
    "检查项",
    "任务",
    "事项",
    "事情",
    "提醒",
    "清单",
    "待办",
    "内容",
    "项目",
    "这里",
    "此处",
    "在此",
    "下面",
    "下方",
    "以下",
    "上面",
    "上方",
    "这一行",
    "事",
];
const BETWEEN_ZH: [&str; 47] = [
    "需要", "定期", "每次", "心跳", "一个", "一些", "几个", "简短", "更多", "如果", "可以", "例如",
    "即可", "就行", "检查", "关注", "希望", "想要", "什么", "或者", "一条", "一行", "你", "您",
    "的", "要", "想", "在", "请", "新", "短", "或", "和", "与", "时", "让", "我", "空", "吧", "处",
    "做", "于", "到", "里", "用", "会", "它",
];

/// What a placeholder stands in.
const WRAPS: [(&str, &str); 9] = [
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("(", ")"),
    ("（", "）"),
    ("[", "]"),
    ("【", "】"),
    ("<", ">"),
];

/// Whether a line only asks for tasks.
pub(super) fn is_placeholder(text: &str) -> bool {
    let (mut text, mut emphasised, mut bracketed) = (text.trim(), false, false);
    while let Some((open, inner)) = WRAPS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains(open) && !inner.contains(close)).then(|| (*open, inner.trim()))
    }) {
        match open {
            "*" | "_" | "**" | "__" => emphasised = true,
            _ => bracketed = true,
        }
        text = inner;
    }
    // Italics around brackets are how templates mark a place, whatever they say.
    emphasised && bracketed || (emphasised || bracketed) && asks_for_tasks(text)
}

fn asks_for_tasks(text: &str) -> bool {
    let text = text.to_lowercase();
    match text.is_ascii() {
        true => in_english(&text),
        false => in_english(&text) || in_chinese(&text),
    }
}

fn in_english(text: &str) -> bool {
    let apart = |c: char| !c.is_alphanumeric() && c != '-' && c != '.';
    let words: Vec<&str> = text
        .split(apart)
        .map(|word| word.trim_matches(['-', '.']))
        .filter(|word| !word.is_empty())
        .collect();
    let of = |list: &str, word: &&str| list.contains(&format!(" {word} "));
    let asks = words.iter().any(|word| of(ASKS, word));
    let object = words.iter().any(|word| of(OBJECTS, word));
    let only = words.iter().all(|word| [ASKS, OBJECTS, BETWEEN].iter().any(|list| of(list, word)));
    // "List reminders" may be meant; "list reminders here" is not.
    let listing = words.first() == Some(&"list") && !words.iter().any(|word| of(PLACES, word));
    asks && object && only && !listing
}

fn in_chinese(text: &str) -> bool {
    let (mut asks, mut object) = (false, false);
    let mut rest = text.trim_start_matches(between);
    while !rest.is_empty() {
        let word = |list: &[&'static str]| list.iter().find_map(|word| rest.strip_prefix(word));
        let after = match (word(&OBJECTS_ZH), word(&ASKS_ZH), word(&BETWEEN_ZH)) {
            (Some(after), ..) => {
                object = true;
                after
            }
            (_, Some(after), _) => {
                asks = true;
                after
            }
            (.., Some(after)) => after,
            _ => return false,
        };
        rest = after.trim_start_matches(between);
    }
    asks && object
}

fn between(c: char) -> bool {
    !c.is_alphanumeric()
}
