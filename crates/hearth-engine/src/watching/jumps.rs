//! Hearing from the system that the clock was set, or that the computer slept: Linux ends the wait for a time
//! of the wall clock when that clock jumps. Elsewhere nobody tells, and the clocks are compared.

#[cfg(target_os = "linux")]
pub(super) use linux::Jumps;

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fd::OwnedFd;
    use rustix::io::{self, Errno};
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// A timer that only a jump ends.
    pub(in crate::watching) struct Jumps(AsyncFd<OwnedFd>);

    impl Jumps {
        /// None where the system does not tell.
        #[expect(
            deprecated,
            reason = "what takes its place is unsafe; a descriptor that is owned stays open"
        )]
        pub(in crate::watching) fn told() -> Option<Self> {
            let made = timer().and_then(|timer| {
                AsyncFd::with_interest(timer, Interest::READABLE).map_err(|_| Errno::NOTSUP)
            });
            made.inspect_err(|error| tracing::debug!(%error, "nobody tells of jumps"))
                .ok()
                .map(Self)
        }

        /// Waits for the next one.
        pub(in crate::watching) async fn next(&self) {
            loop {
                let Ok(mut ready) = self.0.readable().await else { break };
                match io::read(self.0.get_ref(), &mut [0; 8]) {
                    Err(Errno::CANCELED) => return,
                    Err(Errno::AGAIN) => ready.clear_ready(),
                    Err(Errno::INTR) => {}
                    // The time that never comes, or a timer that is broken.
                    Ok(_) | Err(_) => break,
                }
            }
            std::future::pending().await
        }
    }

    fn timer() -> io::Result<OwnedFd> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Realtime, flags)?;
        let never = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec { tv_sec: i64::MAX, tv_nsec: 0 },
        };
        let jumps = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
        timerfd_settime(&timer, jumps, &never)?;
        Ok(timer)
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::time::Duration;

        #[tokio::test]
        async fn without_a_jump_it_waits() {
            let jumps = Jumps::told().expect("Linux tells");
            let waited = tokio::time::timeout(Duration::from_millis(200), jumps.next()).await;
            assert!(waited.is_err(), "nobody set the clock");
        }
    }
}

/// Nobody tells.
#[cfg(not(target_os = "linux"))]
pub(super) struct Jumps;

#[cfg(not(target_os = "linux"))]
impl Jumps {
    pub(super) fn told() -> Option<Self> {
        None
    }

    pub(super) async fn next(&self) {
        std::future::pending().await
    }
}
