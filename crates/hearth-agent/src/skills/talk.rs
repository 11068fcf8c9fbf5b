//! Messages that ask the assistant about itself or about the world: they need a skill more clearly than
//! others before one is activated.
//!
//! Invariant: what is about the person's own things, or points at something, is never such a message.

/// How a question about the world begins.
const ASKING: &[&str] = &[
    "why is",
    "why are",
    "why do",
    "why does",
    "who is",
    "who was",
    "who wrote",
    "who invented",
    "what is",
    "what's",
    "what are",
    "what was",
    "when did",
    "when was",
    "where is",
    "where was",
    "which is",
    "how far",
    "how old",
    "how big",
    "how many",
    "how long",
    "do ",
    "does ",
    "did ",
    "is there",
    "are there",
    "can ",
];
const ASKING_CHINESE: &[&str] = &[
    "为什么",
    "谁",
    "什么是",
    "是什么",
    "哪个",
    "哪一年",
    "多大",
    "多长",
    "多远",
    "多少度",
    "怎么来的",
    "存在吗",
    "吗",
    "什么颜色",
];
/// Said to the assistant about itself.
const ABOUT_YOU: &[&str] = &[
    "do you",
    "are you",
    "have you",
    "can you feel",
    "your favourite",
    "your favorite",
    "your name",
    "who made you",
    "你喜欢",
    "你觉得",
    "你相信",
    "你是",
    "你叫",
    "你几岁",
    "你会做",
];
/// Points at the person's own, or at something at hand.
const OWN: &[&str] = &["my", "i", "me", "our", "we", "us", "this", "these", "that", "here", "mine"];
const OWN_CHINESE: &[char] = &['我', '这', '帮', '咱', '给', '该', '要'];
/// A longer message says enough of itself.
const MOST_WORDS: usize = 14;

/// Whether a message is such talk.
pub(super) fn is_talk(text: &str) -> bool {
    let text = text.trim().to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.len() > MOST_WORDS || text.chars().count() > 80 {
        return false;
    }
    if ABOUT_YOU.iter().any(|phrase| text.contains(phrase)) {
        return true;
    }
    let is_own = words.iter().any(|word| OWN.contains(word)) || text.contains(OWN_CHINESE);
    let asks = ASKING.iter().any(|begin| text.starts_with(begin))
        || ASKING_CHINESE.iter().any(|word| text.contains(word));
    asks && !is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_told_from_tasks() {
        for talk in [
            "Why is grass green?",
            "Who wrote Faust?",
            "你喜欢什么歌？",
            "鲸鱼是鱼吗",
            "Do you dream?",
        ] {
            assert!(is_talk(talk), "{talk}");
        }
        for task in [
            "Why does this loop never end?",
            "What's in my inbox?",
            "帮我看看为什么报错",
            "Is there a train tonight that I can take?",
            "Translate the letter",
            "",
        ] {
            assert!(!is_talk(task), "{task}");
        }
    }
}
