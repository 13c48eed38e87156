//! Events as one line each, for people, cases and logs: `drew 2 KC 4D`, `discarded 2 9S`.
//!
//! The first word says what happened, the second, where there is one, to which seat. What the
//! viewer cannot know is written `?`.
//!
//! **Invariant:** written only; nobody reads an event back from this.

use handfoot_cards::{Cards, Pack};

use super::action::lay_text;
use super::{end_text, push_cards};
use crate::{Answer, Concealed, DrawCause, Event, Refill, Seat, ToFoot};

/// Writes an event as one line.
///
/// # Visibility
///
/// Whoever may see the event.
#[must_use]
pub fn write_event(event: &Event, pack: &Pack) -> String {
    match event {
        Event::RoundBegan { round_index, dealer, upcard, buried, stock, .. } => {
            let upcard = upcard.map_or("-".to_owned(), |card| pack.card_name(card).to_string());
            let (round_number, buried) = (u32::from(*round_index) + 1, pack.write(buried));
            format!(
                "round_began {round_number} dealer {dealer} stock {stock} upcard {upcard} buried {buried}"
            )
        }
        Event::HandDealt { seat, cards } => concealed(format!("hand_dealt {seat}"), cards, pack),
        Event::Lifted { seat, cards } => format!("lifted {seat} {cards}"),
        Event::DiscardsRemoved { count } => format!("discards_removed {count}"),
        Event::StockRefilled { from, count } => {
            let from = match from {
                Refill::Removed => "removed",
                Refill::Discards => "discards",
                Refill::Deck => "deck",
            };
            format!("stock_refilled {from} {count}")
        }
        Event::TurnBegan { seat } => format!("turn_began {seat}"),
        Event::Drew { seat, cards, cause: DrawCause::DrawStep } => {
            concealed(format!("drew {seat}"), cards, pack)
        }
        Event::Drew { seat, cards, cause: DrawCause::Replacement } => {
            concealed(format!("replaced {seat}"), cards, pack)
        }
        Event::RedThreesLaid { seat, cards } => {
            faces(format!("red_threes_laid {seat}"), cards, pack)
        }
        Event::DiscardsTaken { seat, lay } => lay_text(&format!("took {seat}"), lay, pack),
        Event::Laid { seat, lay } => lay_text(&format!("laid {seat}"), lay, pack),
        Event::LaidConcealed { seat, lay: Some(lay) } => {
            lay_text(&format!("laid_concealed {seat}"), lay, pack)
        }
        Event::LaidConcealed { seat, lay: None } => format!("laid_concealed {seat} ?"),
        Event::LaysShown { seat, lays } => {
            let lays: Vec<String> = lays.iter().map(|lay| lay_text("", lay, pack)).collect();
            format!("shown {seat}{}", lays.join(" ;"))
        }
        Event::LaysUndone { seat, acts } => format!("undone {seat} {acts}"),
        Event::UndoAsked { seat, acts, answering } => {
            format!("undo_asked {seat} {acts} answering {answering}")
        }
        Event::UndoAnswered { seat, answer, next } => {
            answered("undo_answered", *seat, *answer, *next)
        }
        Event::FootTakenUp { seat, cards, how } => {
            let how = match how {
                ToFoot::Ran => "ran",
                ToFoot::Walked => "walked",
                ToFoot::AtTurnEnd => "at_turn_end",
            };
            concealed(format!("foot_taken_up {seat} {how}"), cards, pack)
        }
        Event::AskedToGoOut { seat, answering } => format!("asked {seat} answering {answering}"),
        Event::Answered { seat, answer, next } => answered("answered", *seat, *answer, *next),
        Event::Discarded { seat, card } => format!("discarded {seat} {}", pack.card_name(*card)),
        Event::TurnPassed { seat } => format!("turn_passed {seat}"),
        Event::RoundEnded { result } => format!("round_ended {}", end_text(result.how)),
    }
}

fn answered(verb: &str, seat: Seat, answer: Answer, next: Option<Seat>) -> String {
    let answer = match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
    };
    let next = next.map(|seat| format!(" answering {seat}")).unwrap_or_default();
    format!("{verb} {seat} {answer}{next}")
}

fn concealed(mut text: String, cards: &Concealed, pack: &Pack) -> String {
    match cards {
        Concealed::Faces(cards) => faces(text, cards, pack),
        Concealed::Backs(count) => {
            push_cards(&mut text, std::iter::repeat_n(None, usize::from(*count)), pack);
            text
        }
    }
}

fn faces(mut text: String, cards: &Cards, pack: &Pack) -> String {
    push_cards(&mut text, cards.iter().map(Some), pack);
    text
}
