//! The melds of finished rounds, which bytes written before they were kept do not have.
//!
//! **Invariant:** what was written without them reads as it was.

use handfoot_cards::{KINDS_MAX, Kind};
use handfoot_rules::Rules;
use handfoot_view::{Cap, MELDS_MAX, MeldRank, MeldShape, RoundMelds, ScoredMeld};

use super::SnapshotError;
use super::bytes::{Reader, Writer};

type Read<T> = Result<T, SnapshotError>;

/// The lowest bits of a meld's first byte: its kind, or that it is of wild cards.
const KIND_BITS: u8 = 0x3F;
const WILD: u8 = KIND_BITS;

/// Added where a red three lies on the book. Rule: HF-3.8
const CAPPED: u8 = 0x40;

/// Added where the meld's points are not the least that its cards can be worth; they follow.
const MORE: u8 = 0x80;

/// A byte of wild cards and naturals, if there are no more than these; else this, then a byte each.
const NATURALS_SHORT: u8 = 0x0F;
const WILDS_SHORT: u8 = 0x07;
const LONG: u8 = 0x80;

/// Writes the melds of finished rounds, most in two or three bytes: there may be a hundred.
pub(super) fn write(writer: &mut Writer, rounds: &[RoundMelds], rules: &Rules) {
    writer.list(rounds, |writer, teams| {
        for melds in teams {
            writer.list(melds, |writer, meld| write_meld(writer, meld, rules));
        }
    });
}

fn write_meld(writer: &mut Writer, meld: &ScoredMeld, rules: &Rules) {
    let kind = match meld.shape.rank {
        MeldRank::Natural(kind) => u8::try_from(kind.index()).unwrap_or(WILD),
        MeldRank::Wild => WILD,
    };
    let cap = match meld.shape.cap {
        Cap::Bare => 0,
        Cap::Capped => CAPPED,
    };
    let more = meld.points - least_points(meld.shape, rules);
    writer.byte(kind | cap | if more == 0 { 0 } else { MORE });
    let (naturals, wilds) = (meld.shape.naturals, meld.shape.wilds);
    if naturals <= NATURALS_SHORT && wilds <= WILDS_SHORT {
        writer.byte(wilds << 4 | naturals);
    } else {
        [LONG, naturals, wilds].into_iter().for_each(|byte| writer.byte(byte));
    }
    if more != 0 {
        writer.points(more);
    }
}

/// The points of such a meld if all its wild cards are of the cheapest kind.
fn least_points(shape: MeldShape, rules: &Rules) -> i32 {
    let natural = match shape.rank {
        MeldRank::Natural(kind) => rules.melded_value(kind),
        MeldRank::Wild => 0,
    };
    let wild = rules.pack().wild_faces().iter().map(|card| rules.value(card.kind())).min();
    i32::from(shape.naturals) * natural + i32::from(shape.wilds) * wild.unwrap_or_default()
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
    let first = reader.byte("a meld")?;
    let rank = match first & KIND_BITS {
        WILD => MeldRank::Wild,
        kind => {
            let kind = Kind::from_index(usize::from(kind)).filter(|kind| kind.index() < KINDS_MAX);
            MeldRank::Natural(kind.ok_or_else(|| reader.wrong("a rank"))?)
        }
    };
    let cap = if first & CAPPED == 0 { Cap::Bare } else { Cap::Capped };
    let (naturals, wilds) = match reader.byte("the cards of a meld")? {
        LONG => (reader.byte("naturals")?, reader.byte("wild cards")?),
        short => (short & NATURALS_SHORT, short >> 4),
    };
    if naturals.checked_add(wilds).is_none() {
        return Err(reader.wrong("no more cards than a meld can have"));
    }
    let shape = MeldShape { rank, naturals, wilds, cap };
    let more = if first & MORE == 0 { 0 } else { reader.points()? };
    let points = least_points(shape, reader.rules).checked_add(more);
    let points = points.ok_or_else(|| reader.wrong("points"))?;
    Ok(ScoredMeld { shape, points, bonus: shape.book_bonus(reader.rules) })
}
