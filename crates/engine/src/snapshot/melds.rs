//! The melds of a finished round, which rounds kept before there were any do not have.
//!
//! **Invariant:** what was written without them reads as it was.

use handfoot_cards::{KINDS_MAX, Kind};
use handfoot_view::{MELDS_MAX, MeldRank, MeldShape, RoundResult, ScoredMeld};

use super::SnapshotError;
use super::bytes::{Reader, Writer};

type Read<T> = Result<T, SnapshotError>;

/// Stands before how a round ended, whose own byte is 0 or 1, if the melds follow.
const FOLLOW: u8 = 0x80;

/// The byte of a meld of wild cards; a kind's number is below it.
const WILD: u8 = u8::MAX;

pub(super) fn write_mark(writer: &mut Writer, result: &RoundResult) {
    if !result.melds.is_empty() {
        writer.byte(FOLLOW);
    }
}

/// Whether the melds follow.
pub(super) fn read_mark(reader: &mut Reader<'_>) -> bool {
    reader.eat(FOLLOW)
}

pub(super) fn write(writer: &mut Writer, result: &RoundResult) {
    for melds in &result.melds {
        writer.list(melds, |writer, meld| {
            writer.byte(match meld.shape.rank {
                MeldRank::Natural(kind) => u8::try_from(kind.index()).unwrap_or(WILD),
                MeldRank::Wild => WILD,
            });
            writer.byte(meld.shape.naturals);
            writer.byte(meld.shape.wilds);
            writer.points(meld.points);
            writer.points(meld.bonus);
        });
    }
}

pub(super) fn read(reader: &mut Reader<'_>, are_kept: bool) -> Read<Vec<Vec<ScoredMeld>>> {
    let teams = if are_kept { reader.rules.teams() } else { 0 };
    (0..teams).map(|_| team(reader)).collect()
}

fn team(reader: &mut Reader<'_>) -> Read<Vec<ScoredMeld>> {
    let melds = reader.list("melds", meld)?;
    match melds.len() <= MELDS_MAX {
        true => Ok(melds),
        false => Err(reader.wrong("no more melds than a team can have")),
    }
}

fn meld(reader: &mut Reader<'_>) -> Read<ScoredMeld> {
    let rank = match reader.byte("a rank")? {
        WILD => MeldRank::Wild,
        kind if usize::from(kind) < KINDS_MAX => Kind::from_index(usize::from(kind))
            .map(MeldRank::Natural)
            .ok_or_else(|| reader.wrong("a rank"))?,
        _ => return Err(reader.wrong("a rank")),
    };
    let (naturals, wilds) = (reader.byte("naturals")?, reader.byte("wild cards")?);
    if naturals.checked_add(wilds).is_none() {
        return Err(reader.wrong("no more cards than a meld can have"));
    }
    let shape = MeldShape { rank, naturals, wilds };
    Ok(ScoredMeld { shape, points: reader.points()?, bonus: reader.points()? })
}
