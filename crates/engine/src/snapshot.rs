//! A game as bytes, to be stored and played on later: the engine's own format, with a version.
//!
//! What was played before is not in it, except finished rounds; a log of actions belongs to
//! whoever stores the bytes.
//!
//! **Invariant:** bytes that cannot be a game are refused, whatever they are. Bytes are stored,
//! never sent: every hidden card is in them.

mod bytes;
mod events;
mod fields;
mod melds;
mod options;

use std::sync::Arc;

use handfoot_rules::Rules;

use crate::fault::Fault;
use crate::game::{Game, Seeds};
use crate::shuffle::Seed;

use bytes::{Reader, Writer};
use options::Melds;

/// The version of the format that is written, and the only one that is read.
///
/// The rule: it goes up with the first change after a release whose bytes an engine of that release
/// cannot read, and versions of releases are read on. Until the first release there is no older
/// reader, so the options of tables and the melds of finished rounds joined version 1. Who raises it
/// raises the schema of a table in game-service too: a replica of before then says that newer state
/// is there, and not that state is damaged.
pub const SNAPSHOT_VERSION: u8 = 1;

/// The longest snapshot that is read, in bytes.
pub const SNAPSHOT_BYTES_MAX: usize = 256 * 1024;

/// A game as bytes.
///
/// # Visibility
///
/// Nobody but the store: hidden cards and the game's secret are in it.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_debug_implementations, reason = "it holds hidden cards and must not print them")]
pub struct Snapshot(Vec<u8>);

impl Snapshot {
    /// The bytes, for whoever stores them.
    #[must_use]
    pub fn reveal(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, for whoever stores them.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Why bytes are not a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// Longer than [`SNAPSHOT_BYTES_MAX`].
    #[error("{0} bytes, at most {SNAPSHOT_BYTES_MAX}")]
    TooLong(usize),
    /// A version that this engine does not read.
    #[error("version {0}, this engine reads version {SNAPSHOT_VERSION}")]
    Version(u8),
    /// The bytes end too early, go on too long, or hold a value that cannot be.
    #[error("byte {at}: {expected} expected")]
    Malformed {
        /// Where, from 0.
        at: usize,
        /// What should have stood there.
        expected: &'static str,
    },
    /// The bytes read, but no game can stand so.
    #[error("no game can stand so: {0}")]
    Impossible(Fault),
}

impl Game {
    /// The game as bytes. [`Game::restore`] gives it back, without what was played before.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut writer = Writer::new(SNAPSHOT_VERSION);
        let secret = match &self.seeds {
            Seeds::Secret(secret) => secret.reveal(),
            // A game that replays a record ends with its last seed.
            Seeds::Given(seeds) => seeds.last().map_or([0; 32], Seed::reveal),
        };
        writer.bytes(&secret);
        writer.text(&self.table_name);
        writer.optional_seat(self.first_dealer);
        let melds = match self.melds.is_empty() {
            true => Melds::None,
            false => Melds::Kept,
        };
        fields::write_state(&mut writer, &self.state, melds);
        let rules = self.rules();
        writer.list(&self.history, |writer, result| fields::write_result(writer, result, rules));
        match melds {
            Melds::Kept => melds::write(&mut writer, &self.melds, self.rules()),
            Melds::None => {}
        }
        Snapshot(writer.finish())
    }

    /// A game from its bytes and the rules that it is played by. It keeps no record, since what
    /// was played before is not known.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]; a game that no deal and play could have led to is refused as well.
    pub fn restore(rules: &Arc<Rules>, bytes: &[u8]) -> Result<Game, SnapshotError> {
        if bytes.len() > SNAPSHOT_BYTES_MAX {
            return Err(SnapshotError::TooLong(bytes.len()));
        }
        let mut reader = Reader::new(bytes, rules);
        match reader.byte("a version")? {
            SNAPSHOT_VERSION => {}
            other => return Err(SnapshotError::Version(other)),
        }
        let secret = Seed::from_bytes(reader.array("a secret")?);
        let table_name = reader.text("a table name")?;
        let first_dealer = reader.optional_seat()?;
        let (state, kept) = fields::read_state(&mut reader)?;
        let history = reader.list("finished rounds", fields::read_result)?;
        let melds = match kept {
            Melds::Kept => melds::read(&mut reader, history.len())?,
            Melds::None => Vec::new(),
        };
        reader.end()?;
        state.check().map_err(SnapshotError::Impossible)?;
        Ok(Game {
            state,
            table_name,
            seeds: Seeds::Secret(secret),
            first_dealer,
            history,
            melds,
            log: Vec::new(),
        })
    }
}
