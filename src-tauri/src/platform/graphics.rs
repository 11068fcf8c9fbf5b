//! How the pages are drawn on Linux. WebKit puts each frame together with OpenGL. Without a graphics card Mesa does that in
//! software, the whole window anew for the smallest change, and a streamed reply takes three frames for one. Drawing without
//! OpenGL repaints only what changed, so that is asked for where no card is found.
//!
//! Invariant: in doubt there is a card, and WebKit's own choice stands.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use tauri::WebviewWindow;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};

/// Cards that show no render node: NVIDIA's own driver, the host's card in WSL, Mali.
const OTHER_NODES: [&str; 3] = ["dev/nvidia0", "dev/dxg", "dev/mali0"];

/// Lets a window draw in the quicker way that this machine has.
pub(crate) fn draw_quickly(window: &WebviewWindow) {
    if has_card(Path::new("/"), std::env::var_os("LIBGL_ALWAYS_SOFTWARE").as_deref()) {
        return;
    }
    let asked = window.with_webview(|page| {
        if let Some(settings) = page.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "the window draws in WebKit's own way");
    }
}

/// Whether OpenGL runs on a card; `software` is what Mesa was told.
fn has_card(root: &Path, software: Option<&OsStr>) -> bool {
    if software.is_some_and(|told| {
        ["1", "true", "yes", "y"].iter().any(|yes| told.eq_ignore_ascii_case(yes))
    }) {
        return false;
    }
    if OTHER_NODES.iter().any(|node| root.join(node).exists()) {
        return true;
    }
    let nodes = fs::read_dir(root.join("dev/dri")).into_iter().flatten().flatten();
    nodes.map(|node| node.file_name()).any(|name| {
        name.as_encoded_bytes().starts_with(b"renderD")
            && draws(&root.join("sys/class/drm").join(name).join("device"))
    })
}

/// Whether a device behind a render node can do more than show pictures. Of those that cannot, `vgem` has no screen at all,
/// and virtio says in its first feature bit whether the host lends its card.
fn draws(device: &Path) -> bool {
    if fs::read_link(device.join("driver")).is_ok_and(|driver| driver.ends_with("vgem")) {
        return false;
    }
    let parts = fs::read_dir(device).into_iter().flatten().flatten();
    let virtio = parts.filter(|part| part.file_name().as_encoded_bytes().starts_with(b"virtio"));
    let features = |part: fs::DirEntry| fs::read_to_string(part.path().join("features")).ok();
    virtio.filter_map(features).all(|bits| !bits.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::has_card;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// A machine with these nodes, and this much known of the one card.
    fn machine(nodes: &[&str], driver: &str, virtio: Option<&str>) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        for node in nodes {
            write(&root.path().join(node), "");
        }
        let device = root.path().join("sys/class/drm/renderD128/device");
        fs::create_dir_all(&device).expect("a folder");
        symlink(Path::new("/sys/bus/pci/drivers").join(driver), device.join("driver"))
            .expect("a link");
        if let Some(bits) = virtio {
            write(&device.join("virtio0/features"), bits);
        }
        root
    }

    /// Nodes, driver, virtio's features, what Mesa was told, and whether that is a card.
    type Case<'a> = (&'a [&'a str], &'a str, Option<&'a str>, Option<&'a str>, bool);

    #[test]
    fn a_card_is_what_can_draw() {
        let render = ["dev/dri/card0", "dev/dri/renderD128"];
        let cases: [Case<'_>; 10] = [
            (&render, "i915", None, None, true),
            (&render, "i915", None, Some("0"), true),
            (&render, "i915", None, Some("1"), false),
            (&render, "i915", None, Some("True"), false),
            (&render, "virtio-pci", Some("1100"), None, true),
            (&render, "virtio-pci", Some("0100"), None, false),
            (&render, "vgem", None, None, false),
            (&["dev/dri/card0"], "bochs-drm", None, None, false),
            (&["dev/nvidia0"], "nvidia", None, None, true),
            (&[], "", None, None, false),
        ];
        for (nodes, driver, virtio, software, expected) in cases {
            let root = machine(nodes, driver, virtio);
            let found = has_card(root.path(), software.map(AsRef::as_ref));
            assert_eq!(found, expected, "{nodes:?} {driver} {virtio:?} {software:?}");
        }
    }
}
