//! What a table is played with beside the rules, as it is asked for on the command line.
//!
//! **Invariant:** what is left out is the usual choice.

use clap::{Args, ValueEnum};
use handfoot_protocol::{encode_options, v1};
use handfoot_rules::Rules;
use handfoot_view::{Lays, Seat, TableOptions, Undo};

use crate::exit::{Exit, Stop, failed};

/// Options of a table.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct OptionsChoice {
    /// Whether lays can be taken back, and who must agree
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    undo: UndoWord,
    /// Whether others see lays at once, or before the discard and whatever else ends undo
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    lays: LaysWord,
    /// The seat that deals first; drawn if left out
    #[arg(long, value_name = "SEAT")]
    first_dealer: Option<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum UndoWord {
    /// Not at all
    Off,
    /// By the seat itself, in its own turn
    #[default]
    OwnTurn,
    /// The same, once every other seat has said yes
    ByConsent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LaysWord {
    /// At once
    #[default]
    Open,
    /// All together, before the discard or whatever else they could not be taken back after
    Concealed,
}

impl OptionsChoice {
    /// As the engine takes them.
    pub(crate) const fn table(self) -> TableOptions {
        let undo = match self.undo {
            UndoWord::Off => Undo::Off,
            UndoWord::OwnTurn => Undo::OwnTurn,
            UndoWord::ByConsent => Undo::ByConsent,
        };
        let lays = match self.lays {
            LaysWord::Open => Lays::Open,
            LaysWord::Concealed => Lays::Concealed,
        };
        TableOptions { undo, lays }
    }

    /// As a server is asked for them.
    pub(crate) fn message(self, order: v1::SeatOrder) -> v1::TableOptions {
        v1::TableOptions {
            seat_order: order as i32,
            // No command enters numbers lifted, so bots need not wait for them.
            lift_wait_ms: Some(0),
            ..encode_options(self.table())
        }
    }

    /// The first dealer that was named.
    pub(crate) fn first_dealer(self, rules: &Rules) -> Result<Option<Seat>, Stop> {
        let Some(number) = self.first_dealer else { return Ok(None) };
        let seat = Seat::from_number(usize::from(number));
        seat.filter(|seat| seat.index() < rules.seats()).map(Some).ok_or_else(|| {
            let what = format!("--first-dealer {number} is no seat of this table");
            failed(Exit::Usage, what, format!("a seat from 1 to {}", rules.seats()))
        })
    }

    /// The words that ask for the same again.
    pub(crate) fn words(self) -> String {
        let mut words = String::new();
        if self.undo != UndoWord::default() {
            words.push_str(&format!(" --undo {}", word(&self.undo)));
        }
        if self.lays != LaysWord::default() {
            words.push_str(&format!(" --lays {}", word(&self.lays)));
        }
        if let Some(seat) = self.first_dealer {
            words.push_str(&format!(" --first-dealer {seat}"));
        }
        words
    }
}

fn word(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No command enters numbers lifted, so its bots wait for none. Rule: HF-1.7
    #[test]
    fn tables_are_asked_for_with_bots_that_wait_for_no_numbers() {
        for order in [v1::SeatOrder::AsSeated, v1::SeatOrder::Drawn] {
            let message = OptionsChoice::default().message(order);
            assert_eq!((message.lift_wait_ms, message.seat_order), (Some(0), order as i32));
        }
    }
}
