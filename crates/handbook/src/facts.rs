//! What chapters ask about a rule set before they choose their words.
//!
//! **Invariant:** answers come from the rules; nothing is said here.

use handfoot_cards::{Kind, Role};
use handfoot_rules::{
    ExtendBook, ExtendWild, FootTrigger, MeldKind, PackChoice, PartnerCondition, Permission,
    RedThreeMode, Rules, RulesDraft, UpcardDeal,
};

use crate::words::{CardWords, listed, number, ordinal};

/// Who plays together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Everybody alone.
    Alone,
    /// Teams of two.
    Pairs,
    /// Larger teams.
    Teams,
}

/// What a seat's cards are dealt as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packets {
    /// A hand only.
    Hand,
    /// A hand and a foot.
    HandAndFoot,
    /// A hand and more than one packet after it.
    More,
}

/// A rule set as chapters see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) draft: &'a RulesDraft,
    pub(crate) cards: CardWords<'a>,
    pub(crate) sides: Sides,
    pub(crate) packets: Packets,
}

impl<'a> Facts<'a> {
    pub(crate) fn of(rules: &'a Rules) -> Facts<'a> {
        let draft = rules.draft();
        let sides = match draft.team_size {
            1 => Sides::Alone,
            2 => Sides::Pairs,
            _ => Sides::Teams,
        };
        let most = draft.packets.values().iter().map(Vec::len).max();
        let packets = match most {
            Some(0 | 1) | None => Packets::Hand,
            Some(2) => Packets::HandAndFoot,
            Some(_) => Packets::More,
        };
        Facts { rules, draft, cards: CardWords(rules), sides, packets }
    }

    /// `player` or `team`: who scores.
    pub(crate) fn side(self) -> &'static str {
        match self.sides {
            Sides::Alone => "player",
            Sides::Pairs | Sides::Teams => "team",
        }
    }

    /// `you` or `your team`.
    pub(crate) fn us(self) -> &'static str {
        match self.sides {
            Sides::Alone => "you",
            Sides::Pairs | Sides::Teams => "your team",
        }
    }

    /// `you have` or `your team has`.
    pub(crate) fn we_have(self) -> &'static str {
        match self.sides {
            Sides::Alone => "you have",
            Sides::Pairs | Sides::Teams => "your team has",
        }
    }

    /// `your` or `your team's`.
    pub(crate) fn our(self) -> &'static str {
        match self.sides {
            Sides::Alone => "your",
            Sides::Pairs | Sides::Teams => "your team's",
        }
    }

    /// `your partner` or `each of your team-mates`.
    pub(crate) fn mates(self) -> &'static str {
        match self.sides {
            Sides::Alone | Sides::Pairs => "your partner",
            Sides::Teams => "each of your team-mates",
        }
    }

    /// The packet that can be gone out from, as it is called: `foot` or `last packet`.
    pub(crate) fn last_packet(self) -> &'static str {
        match self.packets {
            Packets::Hand => "hand",
            Packets::HandAndFoot => "foot",
            Packets::More => "last packet",
        }
    }

    /// The packet that is taken up after another: `foot` or `next packet`.
    pub(crate) fn next_packet(self) -> &'static str {
        match self.packets {
            Packets::Hand | Packets::HandAndFoot => "foot",
            Packets::More => "next packet",
        }
    }

    /// The cards that are played before the last packet: `hand`, or `hand or middle packet`.
    pub(crate) fn early_packet(self) -> &'static str {
        match self.packets {
            Packets::Hand | Packets::HandAndFoot => "hand",
            Packets::More => "packet in play",
        }
    }

    /// Whether the first book opens the foot, where there is one.
    pub(crate) fn is_first_book(self) -> bool {
        self.packets != Packets::Hand && self.draft.foot.trigger == FootTrigger::FirstBook
    }

    /// What red threes are, if the pack has any.
    pub(crate) fn red_mode(self) -> Option<RedThreeMode> {
        (self.cards.number_of(Role::RedThree) > 0).then_some(self.draft.red_three.mode)
    }

    /// Red threes in words: `red threes`.
    pub(crate) fn reds(self) -> String {
        self.cards.many_of(Role::RedThree).unwrap_or_else(|| "red threes".to_owned())
    }

    /// A red three in words: `red three`.
    pub(crate) fn red(self) -> String {
        self.cards.one_of(Role::RedThree).unwrap_or_else(|| "red three".to_owned())
    }

    /// Black threes in words: `black threes`.
    pub(crate) fn blacks(self) -> String {
        self.cards.many_of(Role::BlackThree).unwrap_or_else(|| "black threes".to_owned())
    }

    /// A black three in words: `black three`.
    pub(crate) fn black(self) -> String {
        self.cards.one_of(Role::BlackThree).unwrap_or_else(|| "black three".to_owned())
    }

    /// Whether the pack has black threes.
    pub(crate) fn has_blacks(self) -> bool {
        self.cards.number_of(Role::BlackThree) > 0
    }

    /// Whether the pack has wild cards.
    pub(crate) fn has_wilds(self) -> bool {
        self.cards.number_of(Role::Wild) > 0
    }

    /// Whether a red three can lie on the discard pile.
    pub(crate) fn reds_reach_discards(self) -> bool {
        match self.red_mode() {
            None => false,
            Some(RedThreeMode::Penalty | RedThreeMode::Blocker) => true,
            Some(RedThreeMode::Bonus) => {
                self.draft.upcard.deal == UpcardDeal::Turned
                    && !self.draft.upcard.bury.contains(&handfoot_rules::Buried::RedThree)
            }
        }
    }

    /// Books of a kind: `clean book`, if there can be any.
    pub(crate) fn book_kinds(self) -> Vec<MeldKind> {
        let wilds = self.has_wilds();
        MeldKind::ALL
            .into_iter()
            .filter(|kind| match kind {
                MeldKind::Clean => true,
                MeldKind::Dirty => wilds && self.takes_wilds(),
                MeldKind::Wild => wilds && self.rules.wild_meld_allowed(),
            })
            .collect()
    }

    /// Whether any meld may hold wild cards beside naturals.
    pub(crate) fn takes_wilds(self) -> bool {
        (1..60).any(|naturals| self.rules.wilds_max(naturals) > 0)
    }

    /// The most wild cards in a meld of so many cards.
    pub(crate) fn wilds_in(self, size: u8) -> u8 {
        let extend = self.draft.extend;
        if extend.clean != ExtendBook::Any && extend.dirty != ExtendBook::Any {
            // Wild cards come in before the meld is a book.
            return self.wilds_of(size.min(self.draft.book_size));
        }
        self.wilds_of(size)
    }

    fn wilds_of(self, size: u8) -> u8 {
        let fits = |wilds: &u8| self.rules.wilds_max(size - wilds) >= *wilds;
        (0..size).rev().find(fits).unwrap_or(0)
    }

    /// Whether any book may grow.
    pub(crate) fn grows(self) -> bool {
        let extend = self.draft.extend;
        extend.clean != ExtendBook::None
            || (extend.dirty != ExtendBook::None && self.book_kinds().contains(&MeldKind::Dirty))
            || (extend.wild != ExtendWild::None && self.book_kinds().contains(&MeldKind::Wild))
    }

    /// Whether the ranks are those of ordinary decks.
    pub(crate) fn is_standard(self) -> bool {
        self.draft.pack == PackChoice::Standard
    }

    /// Whether team-mates have a say.
    pub(crate) fn asks(self) -> bool {
        self.draft.permission == Permission::Ask
    }

    /// Whether team-mates must have done something.
    pub(crate) fn waits(self) -> bool {
        self.draft.partner != PartnerCondition::None
    }

    /// Natural kinds, the dearest first, later ones of equal points first.
    pub(crate) fn dearest(self) -> Vec<Kind> {
        let mut kinds = self.cards.kinds(Role::Natural);
        kinds.reverse();
        kinds.sort_by_key(|kind| std::cmp::Reverse(self.rules.value(*kind)));
        kinds
    }

    /// Cards of the stock after the deal of a round, counted from 0.
    pub(crate) fn stock(self, round_index: usize) -> usize {
        let each: usize =
            self.rules.round(round_index).packets.iter().map(|cards| usize::from(*cards)).sum();
        let turned = usize::from(self.draft.upcard.deal == UpcardDeal::Turned);
        let dealt = self.rules.seats() * each + turned;
        self.rules.pack().cards().len().saturating_sub(dealt)
    }

    /// Rounds that may have numbers of their own.
    pub(crate) fn rounds(self) -> usize {
        self.draft.length.rounds.map_or(handfoot_rules::ROUNDS_MAX, usize::from)
    }

    /// A value of every round, neighbours that are equal together, each with words for its rounds:
    /// `in the first two rounds`, `from the fourth round on`.
    pub(crate) fn by_round<T: PartialEq>(self, value: impl Fn(usize) -> T) -> Vec<(String, T)> {
        let mut groups: Vec<(usize, usize, T)> = Vec::new();
        for round in 0..self.rounds() {
            let new = value(round);
            match groups.last_mut() {
                Some((_, last, same)) if *same == new => *last = round,
                Some(_) | None => groups.push((round, round, new)),
            }
        }
        let end = self.rounds() - 1;
        let is_open = self.draft.length.rounds.is_none();
        let words = |(first, last, value): (usize, usize, T)| {
            let words = match (first, last) {
                (0, 0) => "in the first round".to_owned(),
                (first, last) if last == end && is_open => {
                    format!("from the {} round on", ordinal(first + 1))
                }
                (0, last) => format!("in the first {} rounds", number(last + 1)),
                (first, last) if first == last => format!("in the {} round", ordinal(first + 1)),
                (first, last) => {
                    format!("from the {} to the {} round", ordinal(first + 1), ordinal(last + 1))
                }
            };
            (words, value)
        };
        groups.into_iter().map(words).collect()
    }

    /// A value of every round in one phrase: `two`, or `two in the first round and three in the
    /// second`.
    pub(crate) fn phrase(self, value: impl Fn(usize) -> String) -> String {
        let groups = self.by_round(value);
        match groups.as_slice() {
            [(_, only)] => only.clone(),
            several => {
                let parts: Vec<String> =
                    several.iter().map(|(when, value)| format!("{value} {when}")).collect();
                listed(&parts, "and")
            }
        }
    }
}
