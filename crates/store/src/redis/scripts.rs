//! The scripts that change and read tables, each in one step.
//!
//! **Invariant:** every change of a table is one script, so that Redis makes it wholly or not at
//! all. Scripts hold no setting: what varies comes as an argument.

use std::sync::LazyLock;

use redis::{Cmd, Script, ToRedisArgs};

use crate::limits::REQUESTS_KEPT;

/// What stands before a script. A replica refuses any script that does not promise to write nothing,
/// so that nobody is answered by a server that is no primary any more. A full server refuses those
/// that may grow what is kept, and takes the others.
macro_rules! text {
    (grows $file:literal) => {
        text("#!lua", include_str!($file))
    };
    (fits $file:literal) => {
        text("#!lua flags=allow-oom", include_str!($file))
    };
}

/// A script: its flags, the limits that it keeps, what all share, and its own.
fn text(flags: &str, own: &str) -> String {
    let limits = format!("local REQUESTS_KEPT = {REQUESTS_KEPT}\n");
    [flags, "\n", &limits, include_str!("lua/common.lua"), own].concat()
}

macro_rules! scripts {
    ($($(#[doc = $doc:literal])+ $name:ident $kind:ident $file:literal;)+) => {
        $(
            $(#[doc = $doc])+
            pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
                Script::new(&text!($kind $file))
            });
        )+

        /// What is sent to a server so that it knows all scripts.
        pub(super) fn loading() -> redis::Pipeline {
            let mut pipeline = redis::pipe();
            let texts = [$(text!($kind $file)),+];
            for text in texts {
                pipeline.cmd("SCRIPT").arg("LOAD").arg(text);
            }
            pipeline
        }
    };
}

scripts! {
    /// One commit.
    COMMIT grows "lua/commit.lua";
    /// A new table.
    CREATE grows "lua/create.lua";
    /// A table as it stands.
    LOOK fits "lua/look.lua";
    /// A part of a log.
    HISTORY fits "lua/history.lua";
    /// The end of a table.
    DELETE fits "lua/delete.lua";
    /// Turns that can be taken.
    PEEK fits "lua/peek.lua";
    /// Claims.
    CLAIM grows "lua/claim.lua";
    /// A lease renewed or given back.
    LEASE fits "lua/lease.lua";
    /// Deadlines that have passed.
    DUE fits "lua/due.lua";
    /// The same fields of many tables.
    HEADS fits "lua/heads.lua";
    /// A part of an outbox.
    SAID fits "lua/said.lua";
    /// What a batch writes for itself. A full server takes it, so that reads go on.
    MARK fits "lua/mark.lua";
}

/// A call of a script: its keys first, then its arguments.
pub(super) struct Call {
    command: Cmd,
}

/// Arguments and bytes of a call that need not be counted: its keys, and what says how.
const USUAL: (usize, usize) = (24, 512);

impl Call {
    /// A call with these keys.
    pub(super) fn new<K: ToRedisArgs>(script: &Script, keys: &[K]) -> Self {
        Self::with_room(script, keys, 0)
    }

    /// The same, with room for arguments of so many bytes in all.
    pub(super) fn with_room<K: ToRedisArgs>(script: &Script, keys: &[K], bytes: usize) -> Self {
        let mut command = Cmd::with_capacity(USUAL.0, USUAL.1 + bytes);
        command.arg("EVALSHA").arg(script.get_hash()).arg(keys.len()).arg(keys);
        Self { command }
    }

    /// One argument more.
    pub(super) fn arg(mut self, value: impl ToRedisArgs) -> Self {
        self.command.arg(value);
        self
    }

    /// What is sent.
    pub(super) fn command(self) -> Cmd {
        self.command
    }
}
