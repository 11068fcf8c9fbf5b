//! Whether the computer saves its battery, as its system says it.
//!
//! Invariant: where that cannot be known it does not.

/// From here on a battery that is not charged is saved.
const LOW_PERCENT: u32 = 20;

/// What a system says of its power.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Power {
    /// The person or the system turned the saver on.
    saver: bool,
    /// It runs on its battery.
    discharging: bool,
    percent: Option<u32>,
}

impl Power {
    fn is_saving(self) -> bool {
        let low = self.percent.is_some_and(|percent| percent <= LOW_PERCENT);
        self.saver || self.discharging && low
    }
}

/// Whether the computer saves its battery now.
pub(crate) async fn is_saving() -> bool {
    // Files and programs of the system are asked: no work for a thread that others wait for.
    let asked = tokio::task::spawn_blocking(|| now().is_saving()).await;
    asked.unwrap_or_default()
}

#[cfg(not(windows))]
fn now() -> Power {
    match cfg!(target_os = "macos") {
        true => macos(said_by_pmset),
        false => linux(std::path::Path::new("/sys")),
    }
}

#[cfg(windows)]
fn now() -> Power {
    use windows::System::Power::{BatteryStatus, EnergySaverStatus, PowerManager};
    Power {
        saver: PowerManager::EnergySaverStatus().is_ok_and(|now| now == EnergySaverStatus::On),
        discharging: PowerManager::BatteryStatus()
            .is_ok_and(|now| now == BatteryStatus::Discharging),
        percent: PowerManager::RemainingChargePercent()
            .ok()
            .and_then(|percent| u32::try_from(percent).ok()),
    }
}

/// The files that the kernel keeps, and the profile that the desktop sets.
#[cfg(any(not(windows), test))]
fn linux(sys: &std::path::Path) -> Power {
    let read = |path: &std::path::Path| {
        std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let saver = read(&sys.join("firmware/acpi/platform_profile")) == "low-power";
    let supplies = std::fs::read_dir(sys.join("class/power_supply")).into_iter().flatten();
    let batteries = supplies.flatten().map(|supply| supply.path());
    let discharging = batteries.filter(|path| {
        read(&path.join("type")) == "Battery" && read(&path.join("status")) == "Discharging"
    });
    let percents: Vec<u32> =
        discharging.filter_map(|path| read(&path.join("capacity")).parse().ok()).collect();
    Power { saver, discharging: !percents.is_empty(), percent: percents.into_iter().min() }
}

/// What `pmset` says: its settings in force, then the batteries.
#[cfg(any(not(windows), test))]
fn macos(pmset: impl Fn(&[&str]) -> String) -> Power {
    let settings = pmset(&["-g"]);
    let low = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("lowpowermode" | "powermode")) && words.next() == Some("1")
    };
    let batteries = pmset(&["-g", "batt"]);
    let percent = batteries.lines().find_map(|line| {
        let (before, _) = line.split_once('%')?;
        before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    let discharging = batteries.contains("'Battery Power'");
    Power { saver: settings.lines().any(low), discharging, percent }
}

#[cfg(not(windows))]
fn said_by_pmset(arguments: &[&str]) -> String {
    use std::process::{Command, Stdio};
    let mut command = Command::new("/usr/bin/pmset");
    let output = command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_low_battery_and_a_low_profile_are_saving() {
        let folder = tempfile::tempdir().expect("folder");
        let sys = folder.path();
        assert!(!linux(sys).is_saving(), "nothing is known");
        let battery = sys.join("class/power_supply/BAT0");
        fs::create_dir_all(&battery).expect("made");
        for (status, capacity, saving) in
            [("Discharging", "80", false), ("Discharging", "12", true), ("Charging", "12", false)]
        {
            for (name, text) in [("type", "Battery"), ("status", status), ("capacity", capacity)] {
                fs::write(battery.join(name), format!("{text}\n")).expect("written");
            }
            assert_eq!(linux(sys).is_saving(), saving, "{status} {capacity}");
        }
        let profile = sys.join("firmware/acpi");
        fs::create_dir_all(&profile).expect("made");
        fs::write(profile.join("platform_profile"), "low-power\n").expect("written");
        assert!(linux(sys).is_saving());
    }

    #[test]
    fn what_pmset_says_is_understood() {
        let settings = |mode: &str| {
            format!(
                "System-wide power settings:\nCurrently in use:\n standby 1\n {mode}\n sleep 1\n"
            )
        };
        let battery = |source: &str, state: &str| {
            format!(
                "Now drawing from '{source}'\n -InternalBattery-0 (id=4653155)\t{state} present: true\n"
            )
        };
        for (mode, batteries, saving) in [
            ("lowpowermode 0", battery("Battery Power", "80%; discharging; 5:01 remaining"), false),
            ("lowpowermode 0", battery("Battery Power", "9%; discharging; 0:20 remaining"), true),
            ("lowpowermode 0", battery("AC Power", "9%; charging; 1:40 remaining"), false),
            ("lowpowermode 1", battery("AC Power", "100%; charged; 0:00 remaining"), true),
            ("powermode            1", battery("Battery Power", "80%; discharging;"), true),
            ("powermode 2", battery("Battery Power", "80%; discharging;"), false),
            ("lowpowermode 0", "Now drawing from 'AC Power'\n".to_owned(), false),
            ("", String::new(), false),
        ] {
            let pmset = |arguments: &[&str]| match arguments {
                ["-g"] => settings(mode),
                _ => batteries.clone(),
            };
            assert_eq!(macos(pmset).is_saving(), saving, "{mode} {batteries}");
        }
    }
}
