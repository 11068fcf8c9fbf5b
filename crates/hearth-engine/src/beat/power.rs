//! Whether the computer saves its battery, where the system says so.

use std::path::Path;

/// Below this, a battery that is not charged is saved.
const LOW_PERCENT: u32 = 20;

/// Whether the computer saves its battery now. Where that cannot be known it does not.
pub(crate) fn is_saving() -> bool {
    cfg!(target_os = "linux") && reads_as_saving(Path::new("/sys"))
}

fn reads_as_saving(sys: &Path) -> bool {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    if read(&sys.join("firmware/acpi/platform_profile")) == "low-power" {
        return true;
    }
    let Ok(supplies) = std::fs::read_dir(sys.join("class/power_supply")) else { return false };
    supplies.flatten().any(|supply| {
        let path = supply.path();
        let percent = read(&path.join("capacity")).parse::<u32>();
        read(&path.join("type")) == "Battery"
            && read(&path.join("status")) == "Discharging"
            && percent.is_ok_and(|percent| percent <= LOW_PERCENT)
    })
}

#[cfg(test)]
mod tests {
    use super::reads_as_saving;
    use std::fs;

    #[test]
    fn a_low_battery_and_a_low_profile_are_saving() {
        let folder = tempfile::tempdir().expect("folder");
        let sys = folder.path();
        assert!(!reads_as_saving(sys), "nothing is known");
        let battery = sys.join("class/power_supply/BAT0");
        fs::create_dir_all(&battery).expect("made");
        for (status, capacity, saving) in
            [("Discharging", "80", false), ("Discharging", "12", true), ("Charging", "12", false)]
        {
            for (name, text) in [("type", "Battery"), ("status", status), ("capacity", capacity)] {
                fs::write(battery.join(name), format!("{text}\n")).expect("written");
            }
            assert_eq!(reads_as_saving(sys), saving, "{status} {capacity}");
        }
        let profile = sys.join("firmware/acpi");
        fs::create_dir_all(&profile).expect("made");
        fs::write(profile.join("platform_profile"), "low-power\n").expect("written");
        assert!(reads_as_saving(sys));
    }
}
