//! Whether an argument could name something outside, as far as its text tells.

use super::Shell;
use crate::path::is_device;

/// Whether any reading of an argument leads out of the folder. `stays` is asked about what is a path by
/// its text: links are followed there.
pub(super) fn leads_out(shell: Shell, argument: &str, stays: &dyn Fn(&str) -> bool) -> bool {
    if argument.contains("://") {
        return true;
    }
    if shell == Shell::Cmd && is_switch(argument) {
        return false;
    }
    pieces(argument).any(|piece| match shell {
        Shell::Sh => out_on_unix(piece),
        Shell::Cmd | Shell::PowerShell => out_on_windows(piece),
    }) || pieces(argument).any(|piece| !piece.is_empty() && !stays(piece))
}

/// `/b`, `/?`.
fn is_switch(argument: &str) -> bool {
    let mut chars = argument.chars();
    chars.next() == Some('/')
        && chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '?')
        && chars.next().is_none()
}

/// Letters of a cluster that a value may be glued to.
const CLUSTER: usize = 12;

/// The argument itself; what follows `=`; what is glued to a short option; parts of lists.
fn pieces(argument: &str) -> impl Iterator<Item = &str> {
    let value = argument.split_once('=').map(|(_, value)| value);
    // Behind any letter of a cluster, since letters before may take nothing: `-rf/etc/passwd`.
    let cluster = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let glued = cluster
        .into_iter()
        .flat_map(|rest| rest.char_indices().skip(1).take(CLUSTER).map(|(at, _)| &rest[at..]));
    let is_option = argument.starts_with('-');
    let whole = (!is_option).then_some(argument);
    let listed = argument.split([',', ':']).skip(1);
    whole.into_iter().chain(value).chain(glued).chain(listed)
}

fn climbs(piece: &str) -> bool {
    piece.split(['/', '\\']).any(|part| part == "..")
}

fn out_on_unix(piece: &str) -> bool {
    piece.starts_with(['/', '~']) || climbs(piece) || piece.starts_with("file:")
}

fn out_on_windows(piece: &str) -> bool {
    piece.starts_with(['/', '\\', '~'])
        || piece.contains(':')
        || climbs(piece)
        || piece
            .split(['/', '\\'])
            .any(|part| is_device(part) || part.ends_with(['.', ' ']) && part != ".")
        || piece.contains('~')
}
