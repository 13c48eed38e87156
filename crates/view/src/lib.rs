//! The table as one seat can know it, and what is legal there.
//!
//! **Invariant:** no type of this crate has a place for a card that its viewer cannot know, except
//! [`notation::Sketch`], which holds what somebody wrote; nothing here draws, shuffles or keeps time. Legality, refusals, menus, lists and samples are
//! functions of a [`ViewRef`]. **Boundary:** the engine is the only maker of true views; clients
//! decode [`TableView`]s and ask the same functions.

mod action;
mod chance;
mod event;
mod fits;
mod growth;
mod judge;
mod limits;
mod list;
mod meld;
mod menu;
pub mod notation;
mod opening;
mod plan;
mod refill;
mod rejection;
mod sample;
mod seat;
mod sheet;
mod table;
mod undo;
mod view;
mod way_out;

pub use action::{Action, Answer, Lay, LayTooLong, Placement, Target, WayOut};
pub use event::{
    Concealed, DrawCause, Event, RoundResult, ShownCards, ToFoot, is_laid_at_once, rank_of,
};
pub use fits::Unfit;
pub use judge::judge;
pub use limits::{
    LAY_CARDS_MAX, LAY_PLACEMENTS_MAX, LIFTED_MAX, LIST_MAX, MELD_CARDS_MAX, MELDS_MAX,
    OPENINGS_MAX, REFILLS_MAX, ROUNDS_PLAYED_MAX, UNDO_QUESTIONS_MAX, UNDOS_MAX,
};
pub use list::{is_elementary, list, openings, takes, way_out};
pub use meld::{Cap, Meld, MeldId, MeldRank, MeldShape};
pub use menu::{
    GoingOutOffer, MeldOffer, Menu, OpeningOffer, OpeningReach, Question, RankOffer, RedThreeRoom,
    Step, TakeOffer,
};
pub use refill::{DrawOffer, Refill};
pub use rejection::Rejection;
pub use sample::sample;
pub use seat::{Seat, Team};
pub use sheet::{RoundMelds, RoundSheet, ScoreSheet, ScoredMeld, SeatHeld, TeamSheet, held_value};
pub use table::{
    Asked, Drew, FootStage, LaidCard, Lays, Phase, PublicTable, RoundEnd, SeatTable, Seen,
    TableOptions, TeamTable, Undo,
};
pub use view::{TableView, ViewRef, follow_own};
