//! The choices of D.1 that cannot be played yet, all in this one place.
//!
//! **Invariant:** a choice that the engine learns disappears from here and from nowhere else.

use crate::validate::{Problems, entries};
use crate::{
    ExactPickModel, FootAfterDiscard, FootAfterMeld, FootTrigger, FromDiscards, Named, NoStock,
    OpeningBy, PackChoice, Place, Problem, RedThreeMode, RulesDraft, StockShort, StockThen,
    StockTrigger, WildDiscard,
};

/// Packets of each seat that can be played: a hand and a foot.
const PACKETS: usize = 2;

/// Notes every choice that cannot be played yet, one problem a field.
pub(crate) fn check(draft: &RulesDraft, problems: &mut Problems) {
    let mut found = Found(problems);
    deal(draft, &mut found);
    threes(draft, &mut found);
    opening(draft, &mut found);
    discards(draft, &mut found);
    foot(draft, &mut found);
    end(draft, &mut found);
}

/// Where problems go, and in which words.
struct Found<'a>(&'a mut Problems);

impl Found<'_> {
    fn word(&mut self, field: &'static str, found: Option<&'static str>, today: &'static str) {
        self.add(Place::of(field), found.map(Named::Word), today);
    }

    fn number(&mut self, field: &'static str, found: Option<i64>, today: &'static str) {
        self.add(Place::of(field), found.map(Named::Number), today);
    }

    fn add(&mut self, at: Place, found: Option<Named>, today: &'static str) {
        if let Some(actual) = found {
            self.0.add_at(at, Problem::NotSupportedYet { actual, today });
        }
    }
}

fn deal(draft: &RulesDraft, found: &mut Found<'_>) {
    for (round, sizes) in entries(&draft.packets) {
        // An empty list is nonsense in any case, and is refused as such.
        let packets = (sizes.len() != PACKETS && !sizes.is_empty())
            .then(|| Named::Number(i64::try_from(sizes.len()).unwrap_or(i64::MAX)));
        found.add(Place::entry("packets[]", round), packets, "2 packets, a hand and a foot");
    }
    let model = match draft.exact_pick.model {
        ExactPickModel::Off => None,
        ExactPickModel::Chance(_) => Some("chance"),
        ExactPickModel::Entered => Some("entered"),
    };
    found.word("exact_pick.model", model, "off");
    let bonus = draft.exact_pick.bonus;
    found.number("exact_pick.bonus", (bonus != 0).then_some(i64::from(bonus)), "0");
    let pack = match draft.pack {
        PackChoice::Standard => None,
        PackChoice::Kinds(_) => Some("a list of kinds"),
    };
    found.word("pack", pack, "standard");
}

fn threes(draft: &RulesDraft, found: &mut Found<'_>) {
    let red = draft.red_three;
    let mode = match red.mode {
        RedThreeMode::Bonus | RedThreeMode::Blocker => None,
        RedThreeMode::Penalty => Some("penalty"),
    };
    found.word("red_three.mode", mode, "bonus, blocker");
    found.number("red_three.all", red.all.map(i64::from), "none");
    found.word("red_three.needs", red.needs.map(crate::BookNeeded::name), "none");
    let no_stock = match red.no_stock {
        NoStock::EndInDrawStep => None,
        NoStock::EndAlways => Some("end_always"),
        NoStock::Skip => Some("skip"),
    };
    found.word("red_three.no_stock", no_stock, "end_in_draw_step");
    let from_discards = match red.from_discards {
        FromDiscards::NotReplaced => None,
        FromDiscards::Replaced => Some("replaced"),
    };
    found.word("red_three.from_discards", from_discards, "not_replaced");
}

fn opening(draft: &RulesDraft, found: &mut Found<'_>) {
    let by = match draft.opening.by {
        OpeningBy::Round => None,
        OpeningBy::TeamScore(_) => Some("team_score"),
    };
    found.word("opening.by", by, "round");
}

fn discards(draft: &RulesDraft, found: &mut Found<'_>) {
    let wild = match draft.wild_discard {
        WildDiscard::Plain | WildDiscard::Freeze => None,
        WildDiscard::RemoveDiscards => Some("remove_discards"),
    };
    found.word("wild_discard", wild, "plain, freeze");
}

fn foot(draft: &RulesDraft, found: &mut Found<'_>) {
    let trigger = match draft.foot.trigger {
        FootTrigger::HandEmpty => None,
        FootTrigger::FirstBook => Some("first_book"),
    };
    found.word("foot.trigger", trigger, "hand_empty");
    let after_meld = match draft.foot.after_meld {
        FootAfterMeld::Continue => None,
        FootAfterMeld::EndTurn => Some("end_turn"),
    };
    found.word("foot.after_meld", after_meld, "continue");
    let after_discard = match draft.foot.after_discard {
        FootAfterDiscard::StartOfNextTurn => None,
        FootAfterDiscard::EndOfTurn => Some("end_of_turn"),
        FootAfterDiscard::NotAllowed => Some("not_allowed"),
    };
    found.word("foot.after_discard", after_discard, "start_of_next_turn");
}

fn end(draft: &RulesDraft, found: &mut Found<'_>) {
    let trigger = match draft.stock_out.trigger {
        StockTrigger::CannotDraw => None,
        StockTrigger::Empty => Some("empty"),
    };
    found.word("stock_out.trigger", trigger, "cannot_draw");
    let short = match draft.stock_out.short {
        StockShort::End => None,
        StockShort::DrawRest => Some("draw_rest"),
    };
    found.word("stock_out.short", short, "end");
    let then = match draft.stock_out.then {
        StockThen::EndRound => None,
        StockThen::ReshuffleDiscards => Some("reshuffle_discards"),
        StockThen::AddDeck => Some("add_deck"),
        StockThen::PlayOn => Some("play_on"),
    };
    found.word("stock_out.then", then, "end_round");
    found.number("stock_out.max_added", draft.stock_out.max_added.map(i64::from), "none");
    let no_rounds = draft.length.rounds.is_none().then_some("none");
    found.word("length.rounds", no_rounds, "1 to 10");
    found.number("length.target", draft.length.target.map(i64::from), "none");
}
