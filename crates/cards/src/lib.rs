//! What a card is: kinds, faces, counted collections, packs and their notation.
//!
//! **Invariant:** nothing here knows a rule of the game. A [`Role`] says what sort of card a kind
//! is; what may be done with it is decided in `handfoot-rules` and `handfoot-view`.

mod card;
mod cards;
mod pack;

pub use card::{Card, KINDS_MAX, Kind, Role, SLOTS, Suit};
pub use cards::{Cards, FACES_MAX, KindCounts};
pub use pack::{
    CardProblem, CardWord, CardsError, KIND_CARDS_MAX, NamedKind, PACK_CARDS_MAX, Pack, PackKind,
    PackProblem,
};
