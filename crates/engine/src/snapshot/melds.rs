//! The melds of finished rounds, which bytes written before they were kept do not have.
//!
//! **Invariant:** what was written without them reads as it was.

use handfoot_cards::{KINDS_MAX, Kind};
use handfoot_view::{Cap, MELDS_MAX, MeldRank, MeldShape, RoundMelds, ScoredMeld};

use super::SnapshotError;
use super::bytes::{Reader, Writer};

type Read<T> = Result<T, SnapshotError>;

/// The byte of a meld of wild cards; a kind's number is below it.
const WILD: u8 = u8::MAX;

/// Added to the kind of a book on which a red three lies. Rule: HF-3.8
const CAPPED: u8 = 1 << 6;

/// Writes the melds of finished rounds.
pub(super) fn write(writer: &mut Writer, rounds: &[RoundMelds]) {
    writer.list(rounds, |writer, teams| {
        for melds in teams {
            writer.list(melds, write_meld);
        }
    });
}

fn write_meld(writer: &mut Writer, meld: &ScoredMeld) {
    writer.byte(match meld.shape.rank {
        MeldRank::Natural(kind) => {
            let capped = match meld.shape.cap {
                Cap::Bare => 0,
                Cap::Capped => CAPPED,
            };
            u8::try_from(kind.index()).map_or(WILD, |kind| kind | capped)
        }
        MeldRank::Wild => WILD,
    });
    writer.byte(meld.shape.naturals);
    writer.byte(meld.shape.wilds);
    writer.points(meld.points);
    writer.points(meld.bonus);
}

/// Reads the melds of at least one and at most so many rounds.
pub(super) fn read(reader: &mut Reader<'_>, rounds: usize) -> Read<Vec<RoundMelds>> {
    let teams = reader.rules.teams();
    let read = reader.list("melds of finished rounds", |reader| {
        (0..teams).map(|_| team(reader)).collect::<Read<RoundMelds>>()
    })?;
    match (1..=rounds).contains(&read.len()) {
        true => Ok(read),
        false => Err(reader.wrong("the melds of finished rounds")),
    }
}

fn team(reader: &mut Reader<'_>) -> Read<Vec<ScoredMeld>> {
    let melds = reader.list("melds", meld)?;
    match melds.len() <= MELDS_MAX {
        true => Ok(melds),
        false => Err(reader.wrong("no more melds than a team can have")),
    }
}

fn meld(reader: &mut Reader<'_>) -> Read<ScoredMeld> {
    let (rank, cap) = match reader.byte("a rank")? {
        WILD => (MeldRank::Wild, Cap::Bare),
        written => {
            let (kind, cap) = match written & CAPPED {
                0 => (written, Cap::Bare),
                _ => (written & !CAPPED, Cap::Capped),
            };
            let kind = Kind::from_index(usize::from(kind)).filter(|kind| kind.index() < KINDS_MAX);
            (MeldRank::Natural(kind.ok_or_else(|| reader.wrong("a rank"))?), cap)
        }
    };
    let (naturals, wilds) = (reader.byte("naturals")?, reader.byte("wild cards")?);
    if naturals.checked_add(wilds).is_none() {
        return Err(reader.wrong("no more cards than a meld can have"));
    }
    let shape = MeldShape { rank, naturals, wilds, cap };
    Ok(ScoredMeld { shape, points: reader.points()?, bonus: reader.points()? })
}
