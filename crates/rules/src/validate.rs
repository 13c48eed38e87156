//! Decides whether a draft can be played, and says everything that is wrong or odd about it.
//!
//! **Invariant:** this is the only way to a [`Rules`]; no check stops another from being made.

mod cards;
mod need;
mod play;
mod supply;
mod table;
mod warn;

use std::ops::RangeInclusive;

use handfoot_cards::Pack;

use crate::limits::ROUND_LIST_MAX;
use crate::{
    Decks, ExtendWild, FootAfterDiscard, FootAfterMeld, FootTrigger, LastDiscard, PackChoice,
    PartnerCondition, PerRound, Permission, Place, Problem, Rules, RulesDraft, RulesProblem,
    RulesWarning, SpecialLastDiscard, WildMeld,
};
use supply::Supply;

/// A rule set that can be played, and what is odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Validated {
    /// The rules.
    pub rules: Rules,
    /// What whoever chose them should know; none of it keeps them from being played.
    pub warnings: Vec<RulesWarning>,
}

/// Everything that validation has to say about a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What keeps it from being played, in the order of D.1; empty if it can be played.
    pub problems: Vec<RulesProblem>,
    /// What is odd about it, in the order of D.2.
    pub warnings: Vec<RulesWarning>,
}

impl Rules {
    /// Validates and normalises a draft. D.2.
    ///
    /// # Errors
    ///
    /// Every problem of the draft, in the order of [`Checked::problems`]; never only the first.
    #[expect(clippy::new_ret_no_self, reason = "the rules come with their warnings")]
    pub fn new(draft: RulesDraft) -> Result<Validated, Vec<RulesProblem>> {
        let draft = normalised(draft);
        let Checked { mut problems, warnings } = check(&draft);
        match pack_of(&draft) {
            Ok(pack) if problems.is_empty() => {
                Ok(Validated { rules: Rules::from_checked(draft, pack), warnings })
            }
            Ok(_) => Err(problems),
            Err(problem) => {
                // The checks of single kinds have found it, unless the two have come apart.
                if problems.is_empty() {
                    problems.push(problem);
                }
                Err(problems)
            }
        }
    }

    /// Says what is wrong with a draft and what is odd about it, without making rules of it. D.2.
    #[must_use]
    pub fn check(draft: &RulesDraft) -> Checked {
        check(&normalised(draft.clone()))
    }
}

fn check(draft: &RulesDraft) -> Checked {
    let supply = Supply::of(draft);
    let mut problems = Problems::default();
    table::check(draft, &supply, &mut problems);
    cards::check(draft, &supply, &mut problems);
    need::check(draft, &supply, &mut problems);
    play::check(draft, &supply, &mut problems);
    Checked { problems: problems.0, warnings: warn::warnings(draft, &supply) }
}

/// The cards of one round. Standard packs of absurd numbers are refused before they are built.
fn pack_of(draft: &RulesDraft) -> Result<Pack, RulesProblem> {
    let decks = u8::try_from(supply::decks(draft)).unwrap_or(u8::MAX);
    let built = match &draft.pack {
        PackChoice::Standard => {
            let jokers = draft.jokers_per_deck.min(8);
            Pack::standard(decks, jokers)
        }
        PackChoice::Kinds(kinds) => Pack::named(kinds),
    };
    built.map_err(|problem| RulesProblem {
        at: Place::of("pack"),
        problem: cards::problem_of(problem),
    })
}

/// Sets to one value what the other parameters make meaningless. D.2, "normalise silently".
fn normalised(mut draft: RulesDraft) -> RulesDraft {
    if draft.team_size == 1 {
        draft.partner = PartnerCondition::None;
        draft.permission = Permission::None;
    }
    if draft.wild_meld == WildMeld::Barred {
        draft.book_bonus.wild = 0;
        draft.extend.wild = ExtendWild::None;
    }
    let packets = draft.packets.values();
    if !packets.is_empty() && packets.iter().all(|sizes| sizes.len() == 1) {
        draft.foot.trigger = FootTrigger::HandEmpty;
        draft.foot.after_meld = FootAfterMeld::Continue;
        draft.foot.after_discard = FootAfterDiscard::StartOfNextTurn;
    }
    if draft.foot.trigger == FootTrigger::FirstBook {
        draft.foot.after_meld = FootAfterMeld::Continue;
        draft.foot.after_discard = FootAfterDiscard::StartOfNextTurn;
    }
    if draft.last_discard == LastDiscard::Forbidden {
        for special in &mut draft.special {
            special.last_discard = SpecialLastDiscard::Allowed;
        }
    }
    match draft.pack {
        PackChoice::Standard => {}
        // The list is the whole pack: one deck.
        PackChoice::Kinds(_) => {
            draft.jokers_per_deck = 0;
            draft.decks = Decks::Fixed(1);
        }
    }
    draft
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<RulesProblem>);

impl Problems {
    /// Notes a problem of a field.
    pub(crate) fn add(&mut self, field: &'static str, problem: Problem) {
        self.add_at(Place::of(field), problem);
    }

    /// Notes a problem of a field or of an entry of a list.
    pub(crate) fn add_at(&mut self, at: Place, problem: Problem) {
        self.0.push(RulesProblem { at, problem });
    }

    /// Notes a number outside its limits.
    fn range(&mut self, field: &'static str, actual: impl Into<i64>, range: &RangeInclusive<i64>) {
        self.range_at(Place::of(field), actual, range);
    }

    fn range_at(&mut self, at: Place, actual: impl Into<i64>, range: &RangeInclusive<i64>) {
        let actual = actual.into();
        if !range.contains(&actual) {
            let (least, most) = (*range.start(), *range.end());
            self.add_at(at, Problem::OutOfRange { actual, least, most });
        }
    }

    /// Notes a list that is too long.
    fn length(&mut self, field: &'static str, actual: usize, most: usize) {
        if actual > most {
            self.add(field, Problem::ListTooLong { actual, most });
        }
    }

    /// Notes a list by round without rounds or with too many.
    fn rounds<T>(&mut self, field: &'static str, values: &PerRound<T>) {
        match values {
            PerRound::Same(_) => {}
            PerRound::Each(list) if list.is_empty() => self.add(field, Problem::ListEmpty),
            PerRound::Each(list) => self.length(field, list.len(), ROUND_LIST_MAX),
        }
    }
}

/// Each value that is written, with its round if there is one a round; rounds over the limit are
/// left out.
pub(crate) fn entries<T>(values: &PerRound<T>) -> impl Iterator<Item = (Option<usize>, &T)> {
    let by_round = match values {
        PerRound::Same(_) => None,
        PerRound::Each(_) => Some(()),
    };
    values
        .values()
        .iter()
        .take(ROUND_LIST_MAX)
        .enumerate()
        .map(move |(index, value)| (by_round.map(|()| index), value))
}
