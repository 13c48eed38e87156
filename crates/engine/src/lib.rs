//! The whole game: shuffle, deal, play, events, records, replay and resampling.
//!
//! **Invariant:** the only maker of true views. Hidden cards stay in `state`, which hands out
//! views and events by viewer and nothing else. No clock, no ambient randomness, no I/O: the only
//! chance is a seed that was given.

mod conceal;
mod event;
mod fault;
mod game;
mod invariant;
pub mod laws;
mod lift;
mod log;
mod play;
mod position;
mod record;
mod resample;
mod score;
mod shuffle;
mod snapshot;
mod state;
mod undo;

pub use event::{Events, SeatEvent, Viewer};
pub use fault::Fault;
pub use game::{Game, SeatView};
pub use laws::{LawBroken, Laws};
pub use lift::LiftRefused;
pub use position::PositionText;
pub use record::{
    GameRecord, RECORD_BYTES_MAX, RECORD_VERSION, RecordError, RecordProblem, Verified,
    VerifiedRound, replay, replay_watched, verify,
};
pub use resample::World;
pub use shuffle::{Contribution, Seed, commitment, deck_order};
pub use snapshot::{SNAPSHOT_BYTES_MAX, SNAPSHOT_VERSION, Snapshot, SnapshotError};
