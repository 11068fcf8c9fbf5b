//! All that a command started: found and killed together.
//!
//! Invariants: a group is killed before its leader is reaped, so its number is never another's; a process
//! that left the group (a daemon) is found by what it cannot lose: on Linux a limit of the kernel that is set
//! before the command begins and that nothing confined may change, elsewhere the mark in its environment. A chain
//! of short ones is ahead of a look now and then, so one look that finds none proves nothing; how busy the machine
//! is makes no command last. Absent here: waiting and output.

use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Looks at most, while some are found or vanish under the look.
const LOOKS: u32 = 60;
/// Looks in a row that must find none, where other processes begin meanwhile.
const EMPTY: u32 = 3;

/// The processes of one call. Dropped, none of them is left.
pub(crate) struct Group {
    known: system::Known,
    hold: system::Hold,
    /// The leader is reaped, or about to be: its number may become another's.
    over: Mutex<bool>,
}

/// How much of the machine a group takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) processes: usize,
    pub(crate) bytes: u64,
}

impl Group {
    /// The group that a child leads, started with a group of its own and this mark.
    pub(crate) fn of(child: &Child, mark: &str) -> Self {
        let known = system::Known::of(child, mark.to_owned());
        Self { known, hold: system::Hold::of(child), over: Mutex::new(false) }
    }

    /// Kills the group and whoever left it, until none is found any more.
    pub(crate) fn kill(&self) {
        self.kill_once(false);
    }

    /// As [`Self::kill`], for the last time: the leader has ended and will now be reaped.
    pub(crate) fn kill_last(&self) {
        self.kill_once(true);
    }

    fn kill_once(&self, last: bool) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        if *over {
            return;
        }
        *over = last;
        self.hold.kill();
        let mut empty = 0;
        for look in 0..LOOKS {
            let before = system::started();
            let seen = system::look(&self.known, |member| system::kill(member.id));
            if !seen.members.is_empty() {
                empty = 0;
                std::thread::sleep(Duration::from_millis(u64::from(look.min(5))));
                continue;
            }
            // One that vanished may have begun another.
            empty += u32::from(!seen.vanished);
            if empty >= EMPTY || empty > 0 && system::started() == before {
                return;
            }
        }
        if !system::look(&self.known, |_| {}).members.is_empty() {
            tracing::warn!("some processes of a command could not be ended");
        }
    }

    /// What it takes now; nothing where the system does not tell.
    pub(crate) fn size(&self) -> Size {
        let members = system::look(&self.known, |_| {}).members;
        Size { processes: members.len(), bytes: members.iter().map(|member| member.bytes).sum() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Member {
    id: u32,
    bytes: u64,
}

/// What one look at the processes of the machine found.
#[derive(Default)]
struct Seen {
    members: Vec<Member>,
    /// One was gone before it was looked at.
    vanished: bool,
}

/// Waits until a child has ended, without reaping it where the system can.
pub(crate) fn ended(child: &mut Child) {
    system::ended(child);
}

#[cfg(unix)]
mod system {
    #[cfg(target_os = "linux")]
    pub(super) use super::known::{Known, look, started};
    #[cfg(not(target_os = "linux"))]
    pub(super) use super::marked::{Known, look, started};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group};
    use std::process::Child;

    fn pid(id: u32) -> Option<Pid> {
        i32::try_from(id).ok().and_then(Pid::from_raw)
    }

    /// A process group, known by its leader.
    pub(super) struct Hold(Option<Pid>);

    impl Hold {
        pub(super) fn of(child: &Child) -> Self {
            Self(pid(child.id()))
        }

        pub(super) fn kill(&self) {
            if let Some(leader) = self.0 {
                let _ = kill_process_group(leader, Signal::KILL);
            }
        }
    }

    pub(super) fn kill(id: u32) {
        if let Some(id) = pid(id) {
            let _ = kill_process(id, Signal::KILL);
        }
    }

    pub(super) fn ended(child: &mut Child) {
        let Some(id) = pid(child.id()) else { return };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(error) = rustix::process::waitid(WaitId::Pid(id), options) {
            if error != rustix::io::Errno::INTR {
                return;
            }
        }
    }
}

/// Linux: every process is listed, and known by the kernel's limit.
#[cfg(target_os = "linux")]
mod known {
    use super::{Member, Seen};
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    use std::process::Child;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// By what a command's processes are known.
    pub(super) struct Known {
        leader: u32,
        mark: String,
        number: u64,
        /// All of them have the number, and none can take it off.
        is_kept: bool,
        /// Processes that the machine had begun by then.
        begun: Option<u64>,
    }

    impl Known {
        /// All that the child starts from now on has a limit on locks, which the kernel keeps and heeds no more.
        pub(super) fn of(child: &Child, mark: String) -> Self {
            let (leader, number) = (child.id(), number());
            let limit = Rlimit { current: Some(number), maximum: Some(number) };
            let id = i32::try_from(leader).ok().and_then(Pid::from_raw);
            let set = prlimit(id, Resource::Locks, limit);
            // Where this process is limited itself, the mark in the environment is left.
            if let Err(error) = &set {
                tracing::debug!(%error, "a command has no number");
            }
            let is_kept = set.is_ok() && is_filtered(leader);
            Self { leader, mark, number, is_kept, begun: started() }
        }

        /// The lowest id that one of them can have: ids are given in order until the last, then from the first on.
        fn lowest(&self) -> u32 {
            let begun = started().zip(self.begun).and_then(|(now, then)| now.checked_sub(then));
            let last = std::fs::read_to_string("/proc/sys/kernel/pid_max").unwrap_or_default();
            let last: u64 = last.trim().parse().unwrap_or_default();
            let is_straight = begun.is_some_and(|begun| begun + u64::from(self.leader) < last);
            if is_straight { self.leader } else { 0 }
        }

        /// Whether a process is this command's; none where it is gone.
        fn has(&self, id: u32) -> Option<bool> {
            let limits = match std::fs::read_to_string(format!("/proc/{id}/limits")) {
                Ok(limits) => limits,
                // Somebody else's, where those are hidden.
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => String::new(),
                Err(_) => return None,
            };
            let locks = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
            let most = locks.and_then(|locks| locks.split_ascii_whitespace().nth(1)?.parse().ok());
            let may_differ = || !self.is_kept && (self.is_in_group(id) || self.is_marked(id));
            Some(most == Some(self.number) || may_differ())
        }

        fn is_in_group(&self, id: u32) -> bool {
            let group =
                fields(id).and_then(|stat| stat.split_ascii_whitespace().nth(2)?.parse().ok());
            group == Some(self.leader)
        }

        fn is_marked(&self, id: u32) -> bool {
            let wanted = format!("{}={}", crate::exec::environment::MARK, self.mark);
            std::fs::read(format!("/proc/{id}/environ"))
                .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes()))
        }
    }

    /// No other command has it, of this process or another that runs now.
    fn number() -> u64 {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        // Above what anybody sets by hand, below what the kernel takes for no limit.
        let started = STARTED.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
        1 << 60 | u64::from(std::process::id()) << 24 | started
    }

    /// The filter is up that lets nobody change the limit.
    fn is_filtered(id: u32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status
            .lines()
            .any(|line| line.strip_prefix("Seccomp:").is_some_and(|how| how.trim() == "2"))
    }

    /// Processes that the machine has begun since its start.
    pub(super) fn started() -> Option<u64> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        stat.lines().find_map(|line| line.strip_prefix("processes "))?.trim().parse().ok()
    }

    pub(super) fn look(known: &Known, mut found: impl FnMut(&Member)) -> Seen {
        let mut seen = Seen::default();
        let Ok(processes) = std::fs::read_dir("/proc") else { return seen };
        let ids = processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
        let lowest = known.lowest();
        for id in ids.filter(|id| *id >= lowest) {
            match known.has(id) {
                Some(false) => {}
                None => seen.vanished = true,
                Some(true) => {
                    if let Some(member) = member(id) {
                        found(&member);
                        seen.members.push(member);
                    }
                }
            }
        }
        seen
    }

    /// A process that can be killed and holds something: no zombie.
    fn member(id: u32) -> Option<Member> {
        let stat = fields(id)?;
        let mut fields = stat.split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        let pages: u64 = fields.nth(20)?.parse().ok()?;
        Some(Member { id, bytes: pages * rustix::param::page_size() as u64 })
    }

    /// What the kernel says of a process, behind its name: that stands in brackets and may hold anything.
    fn fields(id: u32) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        Some(stat.rsplit_once(')')?.1.to_owned())
    }
}

#[cfg(not(unix))]
mod system {
    use super::marked;
    pub(super) use super::marked::{Known, look, started};
    use std::os::windows::io::AsRawHandle;
    use std::process::Child;
    use std::sync::{Mutex, PoisonError};
    use win32job::{ExtendedLimitInfo, Job};

    /// A job object. A process that slipped out before it was put in is found by its mark.
    pub(super) struct Hold(Mutex<Option<Job>>);

    impl Hold {
        pub(super) fn of(child: &Child) -> Self {
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            let job = Job::create_with_limit_info(&limits)
                .and_then(|job| job.assign_process(child.as_raw_handle() as isize).map(|()| job));
            if let Err(error) = &job {
                tracing::warn!(%error, "a command has no job object");
            }
            Self(Mutex::new(job.ok()))
        }

        /// Closing the last handle of the job ends all that is in it.
        pub(super) fn kill(&self) {
            drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }

    pub(super) fn kill(id: u32) {
        marked::kill(id);
    }

    pub(super) fn ended(child: &mut Child) {
        let _ = child.wait();
    }
}

/// Systems without `/proc`: processes by the mark in their environment.
#[cfg(not(target_os = "linux"))]
mod marked {
    use super::{Member, Seen};
    use std::process::Child;
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

    /// The mark in their environment.
    pub(super) struct Known(String);

    impl Known {
        pub(super) fn of(_child: &Child, mark: String) -> Self {
            Self(mark)
        }
    }

    /// Not told here.
    pub(super) fn started() -> Option<u64> {
        None
    }

    pub(super) fn look(known: &Known, found: impl FnMut(&Member)) -> Seen {
        let wanted = format!("{}={}", crate::exec::environment::MARK, known.0);
        let asked = ProcessRefreshKind::nothing().with_memory().with_environ(UpdateKind::Always);
        let Ok(mut system) = System::new() else { return Seen::default() };
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, asked);
        let all = system.processes().iter();
        let marked = all.filter(|(_, process)| process.environ().iter().any(|one| *one == *wanted));
        let member = |(id, process): (&sysinfo::Pid, &sysinfo::Process)| Member {
            id: id.as_u32(),
            bytes: process.memory(),
        };
        let members: Vec<_> = marked.map(member).collect();
        members.iter().for_each(found);
        Seen { members, vanished: false }
    }

    #[cfg(windows)]
    pub(super) fn kill(id: u32) {
        let id = sysinfo::Pid::from_u32(id);
        let Ok(mut system) = System::new() else { return };
        let asked = ProcessRefreshKind::nothing();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), true, asked);
        if let Some(process) = system.process(id) {
            process.kill();
        }
    }
}
