//! What happened as bytes, so that a log can be read again and shown to each viewer.
//!
//! **Invariant:** bytes that cannot be events are refused. Bytes are stored, never sent: they hold
//! every drawn card.

use std::num::NonZero;
use std::sync::Arc;

use handfoot_cards::{Card, Cards};
use handfoot_rules::Rules;
use handfoot_view::{
    Answer, Concealed, DrawCause, Event, Lay, MeldId, Refill, Seat, Target, ToFoot,
};

use super::bytes::{Reader, Writer};
use super::fields::{read_result, write_result};
use super::{SNAPSHOT_BYTES_MAX, SNAPSHOT_VERSION, SnapshotError};
use crate::event::Events;

type Read<T> = Result<T, SnapshotError>;

impl Events {
    /// The events as bytes, for whoever stores them. Hidden cards are in them.
    #[must_use]
    pub fn store(&self, rules: &Rules) -> Vec<u8> {
        let mut writer = Writer::new(SNAPSHOT_VERSION);
        writer.list(self.all(), |writer, event| write_event(writer, event, rules));
        writer.finish()
    }

    /// Events from their bytes and the rules of their game.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`].
    pub fn restore(rules: &Arc<Rules>, bytes: &[u8]) -> Result<Events, SnapshotError> {
        if bytes.len() > SNAPSHOT_BYTES_MAX {
            return Err(SnapshotError::TooLong(bytes.len()));
        }
        let mut reader = Reader::new(bytes, rules);
        match reader.byte("a version")? {
            SNAPSHOT_VERSION => {}
            other => return Err(SnapshotError::Version(other)),
        }
        let mut events = Events::new();
        for event in reader.list("events", read_event)? {
            events.push(event);
        }
        reader.end()?;
        Ok(events)
    }
}

const ROUND_BEGAN: u8 = 0;
const HAND_DEALT: u8 = 1;
const TURN_BEGAN: u8 = 2;
const DREW: u8 = 3;
const REPLACED: u8 = 4;
const RED_THREES_LAID: u8 = 5;
const DISCARDS_TAKEN: u8 = 6;
const LAID: u8 = 7;
const LAYS_UNDONE: u8 = 8;
const RAN_TO_FOOT: u8 = 9;
const WALKED_TO_FOOT: u8 = 10;
const ASKED: u8 = 11;
const SAID_YES: u8 = 12;
const SAID_NO: u8 = 13;
const DISCARDED: u8 = 14;
const TURN_PASSED: u8 = 15;
const ROUND_ENDED: u8 = 16;
const LIFTED: u8 = 17;
const DISCARDS_REMOVED: u8 = 18;
const REMOVED_REFILLED: u8 = 19;
const DISCARDS_REFILLED: u8 = 20;
const DECK_ADDED: u8 = 21;
const TOOK_UP_AT_TURN_END: u8 = 22;
const LAID_CONCEALED: u8 = 40;
const LAYS_SHOWN: u8 = 41;
const UNDO_ASKED: u8 = 42;
const UNDO_YES: u8 = 43;
const UNDO_NO: u8 = 44;

fn write_event(writer: &mut Writer, event: &Event, rules: &Rules) {
    match event {
        Event::RoundBegan { round_index, dealer, upcard, buried, stock, commitment } => {
            let numbers = [*round_index, *stock];
            write_round_began(writer, numbers, *dealer, *upcard, buried, commitment);
        }
        Event::HandDealt { seat, cards } => write_dealt(writer, HAND_DEALT, *seat, cards),
        Event::Lifted { seat, cards } => {
            tagged(writer, LIFTED, *seat);
            writer.number(u64::from(cards.get()));
        }
        Event::DiscardsRemoved { count } => counted(writer, DISCARDS_REMOVED, *count),
        Event::StockRefilled { from, count } => counted(writer, refill_tag(*from), *count),
        Event::TurnBegan { seat } => tagged(writer, TURN_BEGAN, *seat),
        Event::Drew { seat, cards, cause } => {
            let tag = match cause {
                DrawCause::DrawStep => DREW,
                DrawCause::Replacement => REPLACED,
            };
            write_dealt(writer, tag, *seat, cards);
        }
        Event::RedThreesLaid { seat, cards } => {
            tagged(writer, RED_THREES_LAID, *seat);
            writer.cards(cards);
        }
        Event::DiscardsTaken { seat, lay } => {
            write_laid(writer, DISCARDS_TAKEN, *seat, lay);
        }
        Event::Laid { seat, lay } => write_laid(writer, LAID, *seat, lay),
        Event::LaidConcealed { seat, lay } => {
            // The engine's own events always hold the lay.
            write_laid(writer, LAID_CONCEALED, *seat, lay.as_ref().unwrap_or(&Lay::new()));
        }
        Event::LaysShown { seat, lays } => {
            tagged(writer, LAYS_SHOWN, *seat);
            writer.list(lays, write_lay);
        }
        Event::UndoAsked { seat, acts, answering } => {
            tagged(writer, UNDO_ASKED, *seat);
            writer.byte(*acts);
            writer.seat(*answering);
        }
        Event::UndoAnswered { seat, answer, next } => {
            answered(writer, [UNDO_YES, UNDO_NO], *seat, *answer, *next);
        }
        Event::LaysUndone { seat, acts } => {
            tagged(writer, LAYS_UNDONE, *seat);
            writer.byte(*acts);
        }
        Event::FootTakenUp { seat, cards, how } => {
            write_dealt(writer, foot_tag(*how), *seat, cards);
        }
        Event::AskedToGoOut { seat, answering } => {
            tagged(writer, ASKED, *seat);
            writer.seat(*answering);
        }
        Event::Answered { seat, answer, next } => {
            answered(writer, [SAID_YES, SAID_NO], *seat, *answer, *next);
        }
        Event::Discarded { seat, card } => {
            tagged(writer, DISCARDED, *seat);
            writer.card(*card);
        }
        Event::TurnPassed { seat } => tagged(writer, TURN_PASSED, *seat),
        Event::RoundEnded { result } => {
            writer.byte(ROUND_ENDED);
            write_result(writer, result, rules);
        }
    }
}

fn write_laid(writer: &mut Writer, tag: u8, seat: Seat, lay: &Lay) {
    tagged(writer, tag, seat);
    write_lay(writer, lay);
}

fn counted(writer: &mut Writer, tag: u8, count: u16) {
    writer.byte(tag);
    writer.number(u64::from(count));
}

const fn refill_tag(from: Refill) -> u8 {
    match from {
        Refill::Removed => REMOVED_REFILLED,
        Refill::Discards => DISCARDS_REFILLED,
        Refill::Deck => DECK_ADDED,
    }
}

const fn foot_tag(how: ToFoot) -> u8 {
    match how {
        ToFoot::Ran => RAN_TO_FOOT,
        ToFoot::Walked => WALKED_TO_FOOT,
        ToFoot::AtTurnEnd => TOOK_UP_AT_TURN_END,
    }
}

fn write_round_began(
    writer: &mut Writer,
    [round_index, stock]: [u16; 2],
    dealer: Seat,
    upcard: Option<Card>,
    buried: &Cards,
    commitment: &[u8; 32],
) {
    writer.byte(ROUND_BEGAN);
    writer.number(u64::from(round_index));
    writer.seat(dealer);
    writer.cards(&upcard.into_iter().collect());
    writer.cards(buried);
    writer.number(u64::from(stock));
    writer.bytes(commitment);
}

/// An answer, with the tags of yes and no.
fn answered(writer: &mut Writer, tags: [u8; 2], seat: Seat, answer: Answer, next: Option<Seat>) {
    let [yes, no] = tags;
    let tag = match answer {
        Answer::Yes => yes,
        Answer::No => no,
    };
    tagged(writer, tag, seat);
    writer.optional_seat(next);
}

fn tagged(writer: &mut Writer, tag: u8, seat: Seat) {
    writer.byte(tag);
    writer.seat(seat);
}

/// The engine's own events always hold faces.
fn write_dealt(writer: &mut Writer, tag: u8, seat: Seat, cards: &Concealed) {
    tagged(writer, tag, seat);
    match cards {
        Concealed::Faces(cards) => writer.cards(cards),
        Concealed::Backs(_) => writer.cards(&Cards::EMPTY),
    }
}

fn write_lay(writer: &mut Writer, lay: &Lay) {
    let placements: Vec<_> = lay.placements().collect();
    writer.list(&placements, |writer, placement| {
        // 0 is a new meld, else the number of one.
        writer.number(match placement.target {
            Target::New => 0,
            Target::Meld(id) => u64::try_from(id.number()).unwrap_or_default(),
        });
        writer.cards_in_order(placement.cards);
    });
}

fn read_lay(reader: &mut Reader<'_>) -> Read<Lay> {
    let mut lay = Lay::new();
    let placements = reader.list("a lay", |reader| {
        let target = match reader.small::<usize>("a meld")? {
            0 => Target::New,
            number => {
                Target::Meld(MeldId::from_number(number).ok_or_else(|| reader.wrong("a meld"))?)
            }
        };
        Ok((target, reader.cards_in_order("cards laid")?))
    })?;
    for (target, cards) in placements {
        lay.push(target, &cards).map_err(|_| reader.wrong("a lay that is not too long"))?;
    }
    Ok(lay)
}

fn read_event(reader: &mut Reader<'_>) -> Read<Event> {
    let tag = reader.byte("an event")?;
    let refilled = |reader: &mut Reader<'_>, from| {
        Ok(Event::StockRefilled { from, count: reader.small("a number of cards")? })
    };
    match tag {
        ROUND_BEGAN => return read_round_began(reader),
        ROUND_ENDED => {
            return Ok(Event::RoundEnded { result: Box::new(read_result(reader)?) });
        }
        DISCARDS_REMOVED => {
            return Ok(Event::DiscardsRemoved { count: reader.small("a number of cards")? });
        }
        REMOVED_REFILLED => return refilled(reader, Refill::Removed),
        DISCARDS_REFILLED => return refilled(reader, Refill::Discards),
        DECK_ADDED => return refilled(reader, Refill::Deck),
        _ => {}
    }
    let seat = reader.seat()?;
    Ok(match tag {
        HAND_DEALT => Event::HandDealt { seat, cards: faces(reader)? },
        LIFTED => {
            let cards = NonZero::new(reader.small("a number of cards")?);
            Event::Lifted { seat, cards: cards.ok_or_else(|| reader.wrong("a number of cards"))? }
        }
        TURN_BEGAN => Event::TurnBegan { seat },
        DREW => Event::Drew { seat, cards: faces(reader)?, cause: DrawCause::DrawStep },
        REPLACED => Event::Drew { seat, cards: faces(reader)?, cause: DrawCause::Replacement },
        RED_THREES_LAID => Event::RedThreesLaid { seat, cards: reader.cards()? },
        DISCARDS_TAKEN => Event::DiscardsTaken { seat, lay: read_lay(reader)? },
        LAID => Event::Laid { seat, lay: read_lay(reader)? },
        LAYS_UNDONE => Event::LaysUndone { seat, acts: reader.byte("a number of acts")? },
        LAID_CONCEALED => Event::LaidConcealed { seat, lay: Some(read_lay(reader)?) },
        LAYS_SHOWN => Event::LaysShown { seat, lays: reader.list("lays", read_lay)? },
        UNDO_ASKED => {
            let acts = reader.byte("a number of acts")?;
            Event::UndoAsked { seat, acts, answering: reader.seat()? }
        }
        UNDO_YES | UNDO_NO => {
            let answer = if tag == UNDO_YES { Answer::Yes } else { Answer::No };
            Event::UndoAnswered { seat, answer, next: reader.optional_seat()? }
        }
        RAN_TO_FOOT => Event::FootTakenUp { seat, cards: faces(reader)?, how: ToFoot::Ran },
        WALKED_TO_FOOT => Event::FootTakenUp { seat, cards: faces(reader)?, how: ToFoot::Walked },
        TOOK_UP_AT_TURN_END => {
            Event::FootTakenUp { seat, cards: faces(reader)?, how: ToFoot::AtTurnEnd }
        }
        ASKED => Event::AskedToGoOut { seat, answering: reader.seat()? },
        SAID_YES => Event::Answered { seat, answer: Answer::Yes, next: reader.optional_seat()? },
        SAID_NO => Event::Answered { seat, answer: Answer::No, next: reader.optional_seat()? },
        DISCARDED => Event::Discarded { seat, card: reader.card()? },
        TURN_PASSED => Event::TurnPassed { seat },
        _ => return Err(reader.wrong("an event")),
    })
}

fn read_round_began(reader: &mut Reader<'_>) -> Read<Event> {
    Ok(Event::RoundBegan {
        round_index: reader.small("a round")?,
        dealer: reader.seat()?,
        upcard: reader.cards()?.iter().next(),
        buried: reader.cards()?,
        stock: reader.small("the size of the stock")?,
        commitment: reader.array("a commitment")?,
    })
}

fn faces(reader: &mut Reader<'_>) -> Read<Concealed> {
    reader.cards().map(Concealed::Faces)
}
