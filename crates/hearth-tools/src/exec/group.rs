//! All that a command started: found and killed together.
//!
//! Invariants: a group is killed before its leader is reaped, so its number is never another's; a process
//! that left the group (a daemon) is found by what it cannot lose: on Linux a limit of the kernel that is set
//! before the command begins and that nothing confined may change, elsewhere the mark in its environment.
//! Absent here: waiting and output.

use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The processes of one call. Dropped, none of them is left.
pub(crate) struct Group {
    leader: u32,
    mark: String,
    hold: system::Hold,
    number: u64,
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
        let (leader, mark) = (child.id(), mark.to_owned());
        let number = number();
        system::number(child, number);
        let over = Mutex::new(false);
        Self { leader, mark, hold: system::Hold::of(child), number, over }
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
        for _ in 0..40 {
            let before = system::started();
            let left = system::members(self.leader, &self.mark, self.number);
            // A chain of short ones is always ahead of the look: nobody may have begun meanwhile.
            if left.is_empty() && system::started() == before {
                return;
            }
            left.iter().for_each(|member| system::kill(member.id));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        if system::members(self.leader, &self.mark, self.number).is_empty() {
            return;
        }
        tracing::warn!(leader = self.leader, "some processes of a command could not be ended");
    }

    /// What it takes now; nothing where the system does not tell.
    pub(crate) fn size(&self) -> Size {
        let members = system::members(self.leader, &self.mark, self.number);
        Size { processes: members.len(), bytes: members.iter().map(|member| member.bytes).sum() }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// No other command has it, of this process or another that runs now.
fn number() -> u64 {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    // Above what anybody sets by hand, below what the kernel takes for no limit.
    let started = STARTED.fetch_add(1, Ordering::Relaxed) & 0xff_ffff;
    1 << 60 | u64::from(std::process::id()) << 24 | started
}

struct Member {
    id: u32,
    bytes: u64,
}

/// Waits until a child has ended, without reaping it where the system can.
pub(crate) fn ended(child: &mut Child) {
    system::ended(child);
}

#[cfg(unix)]
mod system {
    use super::Member;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group};
    #[cfg(target_os = "linux")]
    use rustix::process::{Resource, Rlimit};
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

    #[cfg(not(target_os = "linux"))]
    pub(super) fn number(_child: &Child, _number: u64) {}

    #[cfg(not(target_os = "linux"))]
    pub(super) fn started() -> u64 {
        0
    }

    /// Processes that the system has begun since its start.
    #[cfg(target_os = "linux")]
    pub(super) fn started() -> u64 {
        let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = stat.lines().find_map(|line| line.strip_prefix("processes "));
        line.and_then(|number| number.trim().parse().ok()).unwrap_or_default()
    }

    /// All that it starts from now on has this limit on locks, which the kernel keeps and heeds no more.
    #[cfg(target_os = "linux")]
    pub(super) fn number(child: &Child, number: u64) {
        let limit = Rlimit { current: Some(number), maximum: Some(number) };
        // Where this process is limited itself, the mark in the environment is left.
        if let Err(error) = rustix::process::prlimit(pid(child.id()), Resource::Locks, limit) {
            tracing::debug!(%error, "a command has no number");
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn members(_leader: u32, mark: &str, _number: u64) -> Vec<Member> {
        super::marked::members(mark)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn members(leader: u32, mark: &str, number: u64) -> Vec<Member> {
        let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
        let ids = processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
        ids.filter_map(|id| member(id, leader, mark, number)).collect()
    }

    #[cfg(target_os = "linux")]
    fn member(id: u32, leader: u32, mark: &str, number: u64) -> Option<Member> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name stands in brackets and may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?;
        let group: u32 = fields.nth(1)?.parse().ok()?;
        // A zombie holds nothing and cannot be killed.
        let is_ours = || group == leader || is_numbered(id, number) || is_marked(id, mark);
        if matches!(state, "Z" | "X") || !is_ours() {
            return None;
        }
        let pages: u64 = fields.nth(18)?.parse().ok()?;
        Some(Member { id, bytes: pages * rustix::param::page_size() as u64 })
    }

    #[cfg(target_os = "linux")]
    fn is_numbered(id: u32, number: u64) -> bool {
        let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap_or_default();
        let locks = limits.lines().find_map(|line| line.strip_prefix("Max file locks"));
        locks.is_some_and(|limits| {
            limits.split_ascii_whitespace().nth(1).is_some_and(|most| most.parse() == Ok(number))
        })
    }

    #[cfg(target_os = "linux")]
    fn is_marked(id: u32, mark: &str) -> bool {
        let wanted = format!("{}={mark}", crate::exec::environment::MARK);
        std::fs::read(format!("/proc/{id}/environ"))
            .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes()))
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Member, marked};
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

    pub(super) fn number(_child: &Child, _number: u64) {}

    pub(super) fn started() -> u64 {
        0
    }

    pub(super) fn members(_leader: u32, mark: &str, _number: u64) -> Vec<Member> {
        marked::members(mark)
    }
}

/// Systems without `/proc`: processes by the mark in their environment.
#[cfg(not(target_os = "linux"))]
mod marked {
    use super::Member;
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

    pub(super) fn members(mark: &str) -> Vec<Member> {
        let wanted = format!("{}={mark}", crate::exec::environment::MARK);
        let asked = ProcessRefreshKind::nothing().with_memory().with_environ(UpdateKind::Always);
        let Ok(mut system) = System::new() else { return Vec::new() };
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, asked);
        let all = system.processes().iter();
        let marked = all.filter(|(_, process)| process.environ().iter().any(|one| *one == *wanted));
        marked.map(|(id, process)| Member { id: id.as_u32(), bytes: process.memory() }).collect()
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
