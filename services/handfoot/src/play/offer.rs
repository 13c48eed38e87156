//! What the service offers the person, numbered, and what stands in the way of the rest.
//!
//! **Invariant:** the numbers are places in the service's list, whatever part of it is shown.

use handfoot_client::{Known, Legal};
use handfoot_view::notation::write_action;
use handfoot_view::{Action, DrawOffer, OpeningReach, Question, Step, TakeOffer};

use crate::exit::Stop;
use crate::names::counted;
use crate::out::Out;

/// Actions shown at first.
const SHOWN: usize = 24;

/// How much of the list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// Its beginning and its end.
    Short,
    /// All of it.
    Full,
}

/// Prints what may be done.
pub(super) fn offer(
    out: &mut Out,
    known: &Known,
    legal: &Legal,
    length: Length,
) -> Result<(), Stop> {
    for line in remarks(known, legal) {
        out.line(format!("  {line}"))?;
    }
    out.line("You may:")?;
    let n_discards =
        legal.actions.iter().rev().take_while(|a| matches!(a, Action::Discard(_))).count();
    let all = legal.actions.len();
    // Discards stand last and are needed most.
    let first = match length {
        Length::Full => all,
        Length::Short => SHOWN.saturating_sub(n_discards).max(SHOWN / 2).min(all - n_discards),
    };
    let mut discards = Vec::new();
    let mut hidden = 0;
    for (number, action) in (1..).zip(&legal.actions) {
        let text = write_action(action, known.rules.pack());
        if let Action::Discard(_) = action {
            discards.push(format!("{number:>3}  {text:<13}"));
        } else if number <= first {
            out.line(format!("{number:>5}  {text}{}", what_comes(legal, action)))?;
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        out.line(format!("       ... and {hidden} more: list shows all"))?;
    }
    for row in discards.chunks(4) {
        out.line(format!("  {}", row.concat().trim_end()))?;
    }
    Ok(())
}

/// What an action brings, where its words do not say it.
fn what_comes(legal: &Legal, action: &Action) -> String {
    match (action, legal.menu.draw, legal.menu.take) {
        (Action::Draw, Some(DrawOffer::Cards(count)), _) => {
            format!("   ({} from the stock)", counted(usize::from(count), "card"))
        }
        (Action::Draw, Some(DrawOffer::EndsRound), _) => {
            "   (the stock has too few cards: the round ends)".to_owned()
        }
        (Action::Draw, Some(DrawOffer::Passes), _) => {
            "   (the stock has too few cards: the turn passes)".to_owned()
        }
        (Action::TakeDiscards(_), _, Some(TakeOffer::Open { cards })) => {
            format!("   ({} from the discard pile)", counted(cards, "card"))
        }
        (
            Action::Draw
            | Action::TakeDiscards(_)
            | Action::Lay(_)
            | Action::AskToGoOut(_)
            | Action::AnswerGoOut(_)
            | Action::AnswerUndo(_)
            | Action::Discard(_)
            | Action::UndoLays(_),
            _,
            _,
        ) => String::new(),
    }
}

/// What stands in the way, and what is near.
fn remarks(known: &Known, legal: &Legal) -> Vec<String> {
    let menu = &legal.menu;
    let pack = known.rules.pack();
    let mut lines = Vec::new();
    match menu.step {
        Step::Draw => lines.push("It is your turn: draw, or take the discard pile.".to_owned()),
        Step::Play => lines.push("Lay what you like, then discard.".to_owned()),
        Step::Answer => lines.push("Your team-mate asks to go out: yes or no?".to_owned()),
        Step::AnswerUndo => {
            lines.push("Another seat asks to take back lays: yes or no?".to_owned());
        }
        Step::Wait | Step::Over => {}
    }
    if let Some(TakeOffer::Closed(rejection)) = menu.take {
        lines.push(format!("The discard pile is not to be had: {}.", rejection.message(pack)));
    }
    if let Some(opening) = menu.opening {
        let reach = match opening.reach {
            OpeningReach::Enough => "your cards reach it",
            OpeningReach::TooLittle => "your cards do not reach it",
        };
        lines
            .push(format!("Your team has not opened: {} points needed, {reach}.", opening.minimum));
    }
    if menu.undoable > 0 {
        lines.push(format!("{} can be taken back: undo.", counted(menu.undoable.into(), "lay")));
    }
    if menu.going_out.is_contract_met() && menu.going_out.question == Question::Open {
        lines.push("To go out, ask first: ask ... names everything you would play.".to_owned());
    }
    lines
}

/// What to do about a refusal, by its reason.
pub(super) fn remedy(reason: &str) -> &'static str {
    match reason {
        "MUST_DRAW_FIRST" => "draw, or take the discard pile; after that lay and discard",
        "ALREADY_DREW" => "lay melds if you like, then discard",
        "OPENING_TOO_LOW" => "more melds in the same lay, with / between them, or discard",
        "CARD_NOT_HELD" => "hand shows your cards",
        "UNKNOWN_MELD" => "table shows your team's melds with their numbers",
        "NO_NATURAL_PAIR" | "UPCARD_IS_THREE" | "DISCARDS_TOO_FEW" | "DISCARDS_EMPTY" => "draw",
        "MUST_ASK_FIRST" => "ask, followed by everything you would play",
        "MUST_ANSWER" | "MUST_ANSWER_UNDO" => "yes or no",
        "NOTHING_TO_UNDO" => "undo takes back lays of this turn, until something is revealed",
        _ => "a number of the list, or other words; help shows how",
    }
}
