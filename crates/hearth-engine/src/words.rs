//! What Hearth itself says to the person where no model speaks: notices, their reasons, the heartbeat's log and
//! ledger; in the language of the window.
//!
//! Absent here: errors of calls, which are English with a code, and what models and tools are told.

use crate::clock;
use crate::engine::Inner;
use chrono::{Datelike, Weekday};
use hearth_agent::beat::{Held, MissedWhy, Silence};
use hearth_protocol::StopReason;
use hearth_schedule::Tz;
use hearth_store::Compaction;
use hearth_workspace::Language;

/// The words of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words(Language);

impl Inner {
    /// The words of the window's language.
    pub(crate) fn words(&self) -> Words {
        Words::of(&self.settings.current().ui.language)
    }
}

impl Words {
    /// The words for `ui.language` (`system`, `en` or `zh-CN`).
    pub(crate) fn of(language: &str) -> Self {
        Self(match language {
            "system" => Language::of_system(),
            other => Language::of_locale(other),
        })
    }

    fn pick<T>(self, english: T, chinese: T) -> T {
        match self.0 {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    fn say(self, english: &str, chinese: &str) -> String {
        self.pick(english, chinese).to_owned()
    }

    /// A local time.
    pub(crate) fn time(self, at: i64, zone: Tz) -> String {
        let time = clock::local(at, zone);
        let day = match time.weekday() {
            Weekday::Mon => self.pick("Monday", "星期一"),
            Weekday::Tue => self.pick("Tuesday", "星期二"),
            Weekday::Wed => self.pick("Wednesday", "星期三"),
            Weekday::Thu => self.pick("Thursday", "星期四"),
            Weekday::Fri => self.pick("Friday", "星期五"),
            Weekday::Sat => self.pick("Saturday", "星期六"),
            Weekday::Sun => self.pick("Sunday", "星期日"),
        };
        let comma = self.pick(", ", "，");
        format!("{} ({day}{comma}{})", time.format("%Y-%m-%d %H:%M"), zone.name())
    }

    // What holds things back.

    pub(crate) fn paused(self) -> String {
        self.say("you paused the heartbeat", "你暂停了心跳")
    }

    pub(crate) fn saves_battery(self) -> String {
        self.say("the computer saves its battery", "电脑正在省电")
    }

    pub(crate) fn quiet(self, hours: &str) -> String {
        self.pick(format!("quiet hours {hours}"), format!("安静时段 {hours}"))
    }

    pub(crate) fn held(self, why: &Held) -> String {
        match why {
            Held::Unwanted(like) => self.pick(
                format!("you asked for less like “{like}”"),
                format!("你说过少提醒像“{like}”这样的事"),
            ),
            Held::Repeat => self.say(
                "the same was said within the last 24 hours",
                "同样的话在过去 24 小时内说过",
            ),
            Held::Quiet(hours) => self.quiet(hours),
            Held::Full(most) => self.pick(
                format!(
                    "{most} notifications were shown today, the most that heartbeat.max_per_day allows"
                ),
                format!("今天已经显示了 {most} 条通知，达到 heartbeat.max_per_day 的上限"),
            ),
        }
    }

    pub(crate) fn would_be_shown(self) -> String {
        self.say("what it says would be shown", "它说的话会显示出来")
    }

    pub(crate) fn would_keep_memory(self) -> String {
        self.say("memory would be put in order, silently", "会整理记忆，不作提醒")
    }

    pub(crate) fn would_be_held(self, why: &str) -> String {
        self.pick(
            format!("what it says would be held back: {why}"),
            format!("它说的话会先留着：{why}"),
        )
    }

    pub(crate) fn not_shown(self, why: &str) -> String {
        self.pick(format!("it could not be shown: {why}"), format!("无法显示：{why}"))
    }

    pub(crate) fn day_is_full(self) -> String {
        self.say("the day's notifications were used up", "今天的通知次数已用完")
    }

    pub(crate) fn shown_together(self) -> String {
        self.say("shown together with others", "与其他通知一起显示")
    }

    pub(crate) fn switched_off(self) -> String {
        self.say("heartbeat.enabled is false", "heartbeat.enabled 是 false")
    }

    pub(crate) fn nothing_to_do(self) -> String {
        self.say("HEARTBEAT.md holds nothing to do", "HEARTBEAT.md 里没有要做的事")
    }

    // Slots.

    pub(crate) fn missed_why(self, why: MissedWhy) -> String {
        match why {
            MissedWhy::Stood => self.say(
                "Hearth was not running or the computer slept; a later run stands for it",
                "当时 Hearth 没有运行或电脑在睡眠；由之后的一次代替",
            ),
            MissedWhy::Asleep => self.say(
                "Hearth was not running or the computer slept",
                "当时 Hearth 没有运行或电脑在睡眠",
            ),
            MissedWhy::Busy => self.say("the run before was not over", "上一次还没有结束"),
            MissedWhy::Resting => self.say("it rested after failures", "它在失败后休息"),
        }
    }

    pub(crate) fn missed_title(self, name: &str) -> String {
        self.pick(format!("“{name}” was missed"), format!("错过了“{name}”"))
    }

    pub(crate) fn missed_body(self, due: &str) -> String {
        self.pick(
            format!(
                "It was due at {due} and did not run. Run it on the Heartbeat page, or leave it."
            ),
            format!("它本该在 {due} 运行，但没有运行。可以在“心跳”页面运行它，或者不管它。"),
        )
    }

    pub(crate) fn was_away(self) -> String {
        self.say("it was due while Hearth was not running", "到时间时 Hearth 没有运行")
    }

    pub(crate) fn ended_before(self) -> String {
        self.say("Hearth ended before it began", "开始之前 Hearth 就结束了")
    }

    pub(crate) fn ended_while(self) -> String {
        self.say("Hearth ended while it ran", "运行途中 Hearth 结束了")
    }

    pub(crate) fn by_hand(self) -> String {
        self.say("by hand", "手动运行")
    }

    pub(crate) fn nightly(self) -> String {
        self.say("put memory in order", "整理记忆")
    }

    // Runs.

    pub(crate) fn silence(self, why: Silence) -> String {
        match why {
            Silence::Because(why) => why,
            Silence::Mute => self.say("the model said nothing", "模型什么也没说"),
            Silence::AllWell => self.say("the model said that all is well", "模型说一切正常"),
            Silence::NothingToSay => self.say("nothing to say", "没有要说的"),
            Silence::NoWords => self.say("it had nothing to show", "它没有可显示的内容"),
        }
    }

    pub(crate) fn garbage(self) -> String {
        self.say(
            "the model's answer has not the form that was asked for",
            "模型的回答不是要求的格式",
        )
    }

    pub(crate) fn stopped(self, stop: Option<StopReason>) -> String {
        match stop {
            Some(StopReason::Budget) => self.say("the budget is used up", "预算已用完"),
            Some(StopReason::Cancelled) => self.say("it was stopped", "它被停止了"),
            Some(StopReason::Steps) => self.say("it took too many steps", "步数太多"),
            Some(StopReason::Time) => self.say("it took too long", "用时太长"),
            Some(StopReason::Repeat) => self.say("it went in circles", "它在原地打转"),
            Some(StopReason::Failed | StopReason::Finished) | None => {
                self.say("it failed", "它失败了")
            }
        }
    }

    pub(crate) fn memory_kept(self, changes: usize) -> String {
        self.pick(
            format!("memory is in order; {changes} changes"),
            format!("记忆已整理好，有 {changes} 处改动"),
        )
    }

    /// What `/compact` came to.
    pub(crate) fn summarised(
        self,
        Compaction { messages, from_tokens, to_tokens, .. }: &Compaction,
    ) -> String {
        let tokens = format!("{from_tokens} → {to_tokens}");
        self.pick(
            format!("{messages} messages were summarised: {tokens} tokens. They are kept and can be searched."),
            format!("已把 {messages} 条消息压缩成摘要：{tokens} 个词元。原文都保留着，可以搜索。"),
        )
    }

    pub(crate) fn nothing_to_summarise(self) -> String {
        self.say("There is nothing to summarise yet.", "还没有可以压缩的内容。")
    }

    pub(crate) fn gave_way(self) -> String {
        self.say(
            "it gave way to you; the rest is done the next time",
            "它给你让了路，剩下的下次再做",
        )
    }

    pub(crate) fn no_skill(self, name: &str, why: Option<&str>) -> String {
        let why = why.unwrap_or(self.pick("there is no such skill", "没有这个技能"));
        self.pick(
            format!("not available: skill {name} ({why})"),
            format!("技能 {name} 不可用（{why}）"),
        )
    }

    pub(crate) fn failures(self, count: u32, last: &str) -> String {
        self.pick(
            format!("{count} failures in a row; the last: {last}"),
            format!("连续失败 {count} 次；最后一次：{last}"),
        )
    }

    pub(crate) fn rests_title(self, name: &str) -> String {
        self.pick(format!("“{name}” rests now"), format!("“{name}”已停下"))
    }

    pub(crate) fn rests_body(self, why: &str) -> String {
        self.pick(
            format!("{why}. Run it by hand to wake it."),
            format!("{why}。手动运行一次就能恢复。"),
        )
    }

    // Reasons of notices.

    pub(crate) fn reminder(self, due: Option<&str>) -> String {
        match due {
            Some(due) => self.pick(format!("a reminder for {due}"), format!("{due} 的提醒")),
            None => self.say("a reminder", "提醒"),
        }
    }

    pub(crate) fn about_the_job(self) -> String {
        self.say("about the job itself", "关于这个任务本身")
    }

    pub(crate) fn asked_within(self) -> String {
        self.say("the model asked for it while it worked", "模型在工作时要求的")
    }

    // Notices of turns.

    pub(crate) fn answered(self, well: bool) -> String {
        match well {
            true => self.say("Hearth has answered", "Hearth 已回答"),
            false => self.say("Hearth could not finish", "Hearth 没能完成"),
        }
    }

    pub(crate) fn question(self) -> String {
        self.say("Hearth has a question", "Hearth 有个问题")
    }

    pub(crate) fn may_run(self, tool: &str) -> String {
        self.pick(
            format!("Hearth asks: may {tool} run?"),
            format!("Hearth 请求：可以运行 {tool} 吗？"),
        )
    }

    pub(crate) fn may_all_run(self, count: usize) -> String {
        self.pick(
            format!("Hearth asks: may {count} calls run?"),
            format!("Hearth 请求：可以运行这 {count} 个调用吗？"),
        )
    }

    pub(crate) fn ran_unasked(self, tool: &str) -> String {
        self.pick(
            format!("{tool} runs, since you allowed it before"),
            format!("{tool} 按你之前的许可运行"),
        )
    }

    pub(crate) fn audit_changed(self) -> String {
        self.say("The audit log was changed", "审计记录被改动了")
    }

    pub(crate) fn audit_entry(self, number: i64, missing_to: Option<i64>) -> String {
        match missing_to {
            Some(last) if last == number => {
                self.pick(format!("Entry {number} is missing."), format!("第 {number} 条不见了。"))
            }
            Some(last) => self.pick(
                format!("Entries {number} to {last} are missing."),
                format!("第 {number} 到 {last} 条不见了。"),
            ),
            None => self.pick(
                format!("Entry {number} is not as it was written."),
                format!("第 {number} 条与写入时不同。"),
            ),
        }
    }

    /// What a call that waits would do.
    pub(crate) fn wants(self, tool: &str, what: &str) -> String {
        match tool {
            "write_file" => self.pick(format!("wants to write {what}"), format!("想要写入 {what}")),
            "edit_file" => self.pick(format!("wants to change {what}"), format!("想要修改 {what}")),
            "exec" => self.pick(format!("wants to run {what}"), format!("想要运行 {what}")),
            "web_fetch" => self.pick(format!("wants to fetch {what}"), format!("想要读取 {what}")),
            "memory_append" => {
                self.pick(format!("wants to remember {what}"), format!("想要记住 {what}"))
            }
            _ if what.is_empty() => {
                self.pick(format!("wants to use {tool}"), format!("想要使用 {tool}"))
            }
            _ => self
                .pick(format!("wants to use {tool}: {what}"), format!("想要使用 {tool}：{what}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that can be said, once.
    fn all(words: Words) -> Vec<String> {
        let held = [
            Held::Unwanted("X".to_owned()),
            Held::Repeat,
            Held::Quiet("22:30-07:30".to_owned()),
            Held::Full(8),
        ];
        let missed = [MissedWhy::Stood, MissedWhy::Asleep, MissedWhy::Busy, MissedWhy::Resting];
        let silent = [Silence::Mute, Silence::AllWell, Silence::NothingToSay, Silence::NoWords];
        let stops = [
            StopReason::Budget,
            StopReason::Cancelled,
            StopReason::Steps,
            StopReason::Time,
            StopReason::Repeat,
            StopReason::Failed,
        ];
        let mut said = vec![
            words.time(1_806_195_600, Tz::Europe__Oslo),
            words.paused(),
            words.saves_battery(),
            words.would_be_shown(),
            words.would_keep_memory(),
            words.would_be_held("X"),
            words.not_shown("X"),
            words.day_is_full(),
            words.shown_together(),
            words.switched_off(),
            words.nothing_to_do(),
            words.missed_title("X"),
            words.missed_body("X"),
            words.was_away(),
            words.ended_before(),
            words.ended_while(),
            words.by_hand(),
            words.nightly(),
            words.garbage(),
            words.memory_kept(3),
            words.gave_way(),
            words.nothing_to_summarise(),
            words.no_skill("X", None),
            words.failures(10, "X"),
            words.rests_title("X"),
            words.rests_body("X"),
            words.reminder(None),
            words.reminder(Some("X")),
            words.about_the_job(),
            words.asked_within(),
            words.answered(true),
            words.answered(false),
            words.question(),
            words.may_run("X"),
            words.may_all_run(3),
            words.audit_changed(),
            words.audit_entry(7, None),
            words.audit_entry(7, Some(7)),
            words.audit_entry(7, Some(9)),
            words.wants("write_file", "X"),
            words.wants("edit_file", "X"),
            words.wants("exec", "X"),
            words.wants("web_fetch", "X"),
            words.wants("memory_append", "X"),
            words.wants("X", ""),
            words.wants("X", "Y"),
        ];
        said.extend(held.iter().map(|why| words.held(why)));
        said.extend(missed.into_iter().map(|why| words.missed_why(why)));
        said.extend(silent.into_iter().map(|why| words.silence(why)));
        said.extend(stops.into_iter().map(|stop| words.stopped(Some(stop))));
        said
    }

    #[test]
    fn everything_is_said_in_both_languages() {
        let (english, chinese) = (all(Words::of("en")), all(Words::of("zh-CN")));
        let is_chinese = |text: &str| text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'));
        for (english, chinese) in english.iter().zip(&chinese) {
            assert!(!is_chinese(english) && is_chinese(chinese), "{english} / {chinese}");
            // What is put in stands in both.
            let given = |text: &str| text.matches('X').count();
            assert_eq!(given(english), given(chinese), "{english} / {chinese}");
        }
        assert_eq!(english[0], "2027-03-28 03:00 (Sunday, Europe/Oslo)");
        assert_eq!(chinese[0], "2027-03-28 03:00 (星期日，Europe/Oslo)");
    }
}
