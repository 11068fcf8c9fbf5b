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
    "who ",
    "what a ",
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
    "is a",
    "is there",
    "are there",
    "can ",
    "sorry",
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
    "对不起",
];
/// Said to the assistant, perhaps about itself.
const TO_YOU: &[&str] = &["do you", "are you", "have you", "你觉得", "你是", "你会做"];
/// Said of the assistant itself, and of nothing else.
const OF_YOU: &[&str] = &[
    "can you feel",
    "your favourite",
    "your favorite",
    "your name",
    "who made you",
    "你喜欢",
    "你相信",
    "你叫",
    "你几岁",
    "你今年几岁",
];
/// Points at the person's own, or at something at hand.
const OWN: &[&str] = &["my", "i", "me", "our", "we", "us", "this", "these", "that", "here", "mine"];
const OWN_CHINESE: &[char] = &['我', '这', '帮', '咱', '给', '该', '要'];
/// A longer message says enough of itself.
const MOST_WORDS: usize = 14;

/// How much clearer a skill must be for a message that may be mere talk; nothing for any other.
const CLEARER: f32 = 0.22;
const MUCH_CLEARER: f32 = 0.5;

/// What a message asks of a skill beyond the threshold, because it may be mere talk.
pub(super) fn doubt(text: &str) -> f32 {
    let text = text.trim().to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.len() > MOST_WORDS || text.chars().count() > 80 {
        return 0.0;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    if says(OF_YOU) {
        return MUCH_CLEARER;
    }
    let is_own = words.iter().any(|word| OWN.contains(word)) || text.contains(OWN_CHINESE);
    let asks = ASKING.iter().any(|begin| text.starts_with(begin)) || says(ASKING_CHINESE);
    if says(TO_YOU) || asks && !is_own { CLEARER } else { 0.0 }
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
            "Sorry, wrong window",
            "What a day",
        ] {
            assert!(doubt(talk) > 0.0, "{talk}");
        }
        for task in [
            "Why does this loop never end?",
            "What's in my inbox?",
            "帮我看看为什么报错",
            "Is there a train tonight that I can take?",
            "Translate the letter",
            "",
        ] {
            assert!(doubt(task) == 0.0, "{task}");
        }
    }
}
