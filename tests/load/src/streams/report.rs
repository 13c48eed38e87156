//! What is said of many streams, and what must hold of them.
//!
//! **Invariant:** how long anything took is printed and never judged, but for the time in which the
//! server must have ended.

use serde_json::json;

use super::{Crowd, Measured};
use crate::out::say;
use crate::trouble::Trouble;

/// Bytes of the server's memory for a stream, at most. A few streams share what a server needs for
/// the first of anything, so this is twice what a stream of many takes.
const STREAM_BYTES_MAX: u64 = 32 * 1024;

/// Everything that was measured.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) crowd: Crowd,
    pub(super) all: &'a [Measured],
}

impl Report<'_> {
    /// Prints it as one JSON object.
    pub(super) fn json(&self) -> Result<(), Trouble> {
        say(&json!({ "crowd": self.crowd, "subjects": self.all }).to_string())
    }

    /// Prints it as lines.
    pub(super) fn text(&self) -> Result<(), Trouble> {
        let Crowd { connections, tables_per_connection, rate } = self.crowd;
        say(&format!(
            "{} streams: {connections} connections, {tables_per_connection} tables each, 4 streams \
             a table; {rate} actions a second",
            self.crowd.streams()
        ))?;
        self.all.iter().try_for_each(|measured| say(&measured.text()))
    }
}

impl Measured {
    /// In a few lines.
    pub(crate) fn text(&self) -> String {
        let Measured { subject, streams, memory, delivery, drain } = self;
        let mib = |bytes: u64| bytes / (1024 * 1024);
        format!(
            "\n{subject}: {} bytes a stream; the server has {} MiB idle, {} MiB with tables, {} MiB \
             with streams, {} MiB after each brought two commits\n\
             {subject}: a commit reached {} of {streams} streams, p50 {:.1} ms, p99 {:.1} ms, the \
             slowest {:.1} ms after its call\n\
             {subject}: ended in {:.2} s with code {}; {} streams told when to open again (half \
             within {:.0} ms, all within {:.0} ms), {} not told, {} cut; {} calls answered, {} not \
             taken, {} on their way{}",
            memory.per_stream,
            mib(memory.idle_server),
            mib(memory.with_tables),
            mib(memory.with_streams),
            mib(memory.after_delivery),
            delivery.streams,
            delivery.p50_us / 1000.0,
            delivery.p99_us / 1000.0,
            delivery.slowest_us / 1000.0,
            drain.seconds,
            drain.exit_code.map_or("none".to_owned(), |code| code.to_string()),
            drain.told,
            drain.half_told_ms,
            drain.all_told_ms,
            drain.untold,
            drain.cut,
            drain.calls_answered,
            drain.calls_not_taken,
            drain.calls_on_their_way,
            drain.commits_unanswered.map_or(String::new(), |n| format!("; {n} commits unanswered")),
        )
    }

    /// Whether every stream was told and nothing was cut off.
    ///
    /// # Errors
    ///
    /// `Wrong`.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        let Measured { subject, streams, memory, drain, .. } = self;
        let unanswered = drain.commits_unanswered.unwrap_or(0);
        if drain.told != *streams || drain.exit_code != Some(0) || unanswered > 0 {
            return Err(Trouble::wrong(format!("{subject}: {streams} streams, {drain:?}")));
        }
        // Few streams may fit into what the server has already.
        match memory.per_stream {
            0..=STREAM_BYTES_MAX => Ok(()),
            _ => Err(Trouble::wrong(format!("{subject}: {memory:?}"))),
        }
    }
}
