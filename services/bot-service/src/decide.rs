//! One decision from a view: the bot's own, or the first listed action where that fails.
//!
//! **Invariant:** what is chosen is legal on the view. The table never waits for a bot that has no
//! answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use handfoot_bots::{BotSeed, Level};
use handfoot_view::{Action, ViewRef, judge, list};

use crate::budget::{Budget, Thinker};

/// What a seat is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) action: Action,
    pub(crate) origin: Origin,
}

/// Whose choice it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The bot's.
    Bot,
    /// The list's, and why.
    Fallback(Cause),
}

/// Why the first listed action is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The bot found nothing.
    NoAnswer,
    /// What it chose is not legal.
    Illegal,
    /// It thought more than it may.
    OverBudget,
    /// Its code failed.
    Panicked,
    /// The server has just refused its choice.
    Refused,
}

impl Cause {
    /// A word for logs.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Cause::NoAnswer => "no_answer",
            Cause::Illegal => "illegal",
            Cause::OverBudget => "over_budget",
            Cause::Panicked => "panicked",
            Cause::Refused => "refused",
        }
    }
}

/// Who is to be asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The bot.
    Bot,
    /// The list: the bot's choice was refused.
    List,
}

/// Everything that a decision rests on.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) view: ViewRef<'a>,
    pub(crate) level: Level,
    pub(crate) seed: &'a BotSeed,
    pub(crate) budget: Budget,
    pub(crate) trust: Trust,
    /// The server's list for this view, if it is known.
    pub(crate) listed: Option<&'a [Action]>,
}

/// Decides; none if there is no legal action, so that the seat is not to act.
pub(crate) fn decide(thinker: &dyn Thinker, question: Question<'_>) -> Option<Choice> {
    let cause = match question.trust {
        Trust::List => Cause::Refused,
        Trust::Bot => match think(thinker, question) {
            Ok(action) => return Some(Choice { action, origin: Origin::Bot }),
            Err(cause) => cause,
        },
    };
    let first = match question.listed {
        Some(listed) => listed.first().cloned(),
        None => {
            let mut listed = Vec::new();
            list(question.view, &mut listed);
            listed.into_iter().next()
        }
    };
    first.map(|action| Choice { action, origin: Origin::Fallback(cause) })
}

fn think(thinker: &dyn Thinker, question: Question<'_>) -> Result<Action, Cause> {
    let Question { view, level, seed, budget, .. } = question;
    // Nothing outlives the call but its answer.
    let thought = catch_unwind(AssertUnwindSafe(|| {
        thinker.think(level, view, &mut seed.chance(view), budget)
    }));
    let thought = thought.map_err(|_| Cause::Panicked)?;
    if thought.rollouts > budget.rollouts_max {
        return Err(Cause::OverBudget);
    }
    let action = thought.action.ok_or(Cause::NoAnswer)?;
    match judge(view, &action) {
        Ok(()) => Ok(action),
        Err(_) => Err(Cause::Illegal),
    }
}
