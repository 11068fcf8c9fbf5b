//! The few words the shell itself says: tray entries and its own notices.

/// The shell's words in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) quick_prompt: &'static str,
    pub(crate) open: &'static str,
    /// `{}` stands for how many.
    pub(crate) waits: &'static str,
    pub(crate) none_waits: &'static str,
    pub(crate) beat_now: &'static str,
    pub(crate) pause_hour: &'static str,
    pub(crate) pause_day: &'static str,
    pub(crate) beat_failed: &'static str,
    pub(crate) beat_quiet: &'static str,
    pub(crate) no_notifications: &'static str,
    pub(crate) notification_refused: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) quit: &'static str,
    pub(crate) in_tray_title: &'static str,
    pub(crate) in_tray_body: &'static str,
    pub(crate) shortcut_taken_title: &'static str,
    /// `{}` stands for the shortcut.
    pub(crate) shortcut_taken_body: &'static str,
}

const ENGLISH: Words = Words {
    quick_prompt: "Quick prompt",
    open: "Open Hearth",
    waits: "Waiting for you: {}",
    none_waits: "Nothing waits for you",
    beat_now: "Heartbeat now",
    pause_hour: "Pause 1 hour",
    pause_day: "Pause until tomorrow",
    beat_failed: "The heartbeat failed",
    beat_quiet: "Nothing to report",
    no_notifications: "no notification service answers on this desktop",
    notification_refused: "the notification service of this desktop refused it",
    settings: "Settings",
    quit: "Quit",
    in_tray_title: "Hearth is still here",
    in_tray_body: "It lives in the tray now. Quit from its menu.",
    shortcut_taken_title: "The shortcut is taken",
    shortcut_taken_body: "Another program uses {}. Choose a different one in Settings.",
};

const CHINESE: Words = Words {
    quick_prompt: "快速提问",
    open: "打开 Hearth",
    waits: "等你决定：{}",
    none_waits: "没有等你决定的",
    beat_now: "现在心跳一次",
    pause_hour: "暂停 1 小时",
    pause_day: "暂停到明天",
    beat_failed: "心跳失败",
    beat_quiet: "没有需要提醒的",
    no_notifications: "这个桌面上没有通知服务在回应",
    notification_refused: "这个桌面的通知服务拒绝了它",
    settings: "设置",
    quit: "退出",
    in_tray_title: "Hearth 仍在运行",
    in_tray_body: "它在托盘里。要退出，请用托盘菜单。",
    shortcut_taken_title: "快捷键已被占用",
    shortcut_taken_body: "{} 已被其他程序使用，请在设置中另选一个。",
};

impl Words {
    /// The words for `ui.language` (`system`, `en` or `zh-CN`).
    pub(crate) fn pick(language: &str) -> Self {
        let chosen = match language {
            "system" => sys_locale::get_locale().unwrap_or_default(),
            other => other.to_owned(),
        };
        if chosen.starts_with("zh") { CHINESE } else { ENGLISH }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHINESE, ENGLISH, Words};

    #[test]
    fn the_language_setting_picks_the_words() {
        assert_eq!(Words::pick("zh-CN"), CHINESE);
        assert_eq!(Words::pick("en"), ENGLISH);
    }
}
