//! What the stock can be given when it has too few cards: discard piles that left play, the discard
//! pile under its top, another deck.
//!
//! **Invariant:** decided by what everybody sees, so that a menu can tell what a draw would do.

use handfoot_cards::Cards;
use handfoot_rules::{Rules, StockShort, StockThen};

use crate::PublicTable;
use crate::limits::REFILLS_MAX;

/// Where cards for the stock come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refill {
    /// Discard piles that left play. Rule: HF-9.4
    Removed,
    /// The discard pile without its top. Rule: HF-9.5
    Discards,
    /// A deck that was not in play. Rule: HF-9.6
    Deck,
}

/// What drawing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawOffer {
    /// So many cards come from the stock. Rule: HF-2.3, HF-9.2
    Cards(u8),
    /// The stock has too few: the round ends. Rule: HF-9.2
    EndsRound,
    /// The stock has too few: the turn passes. Rule: HF-9.7
    Passes,
}

impl PublicTable {
    /// What the stock is given next if it has too few cards, and how many. Rule: HF-9.4 to HF-9.6
    #[must_use]
    pub fn next_refill(&self, rules: &Rules) -> Option<(Refill, usize)> {
        if !rules.may_refill() || self.refills >= REFILLS_MAX {
            return None;
        }
        let stock_out = rules.draft().stock_out;
        match stock_out.then {
            _ if !self.removed.is_empty() => Some((Refill::Removed, self.removed.len())),
            StockThen::ReshuffleDiscards if self.discards.len() > 1 => {
                Some((Refill::Discards, self.discards.len() - 1))
            }
            StockThen::AddDeck if self.decks_added < stock_out.max_added.unwrap_or_default() => {
                Some((Refill::Deck, rules.deck().len()))
            }
            StockThen::EndRound
            | StockThen::ReshuffleDiscards
            | StockThen::AddDeck
            | StockThen::PlayOn => None,
        }
    }

    /// Every card that is in play or was in this round, decks added included.
    #[must_use]
    pub fn cards_in_round(&self, rules: &Rules) -> Cards {
        let mut cards = rules.pack().cards().clone();
        for _ in 0..self.decks_added {
            cards.add(rules.deck());
        }
        cards
    }

    /// What drawing does now. Rule: HF-2.3, HF-9.2, HF-9.7
    #[must_use]
    pub fn draw_offer(&self, rules: &Rules) -> DrawOffer {
        let draw = self.round(rules).draw;
        let found = self.drawable(rules, usize::from(draw));
        match (found, rules.draft().stock_out.short) {
            (found, _) if found >= usize::from(draw) => DrawOffer::Cards(draw),
            (1.., StockShort::DrawRest) => {
                DrawOffer::Cards(u8::try_from(found).unwrap_or(draw).min(draw))
            }
            (_, StockShort::End | StockShort::DrawRest) => match rules.may_pass() {
                true => DrawOffer::Passes,
                false => DrawOffer::EndsRound,
            },
        }
    }

    /// Cards that the stock has, or can be given while it has fewer than are wanted.
    fn drawable(&self, rules: &Rules, wanted: usize) -> usize {
        let stock = usize::from(self.stock);
        if stock >= wanted || !rules.may_refill() {
            return stock;
        }
        let mut ahead = self.clone();
        let mut found = stock;
        while let Some((from, count)) = ahead.next_refill(rules).filter(|_| found < wanted) {
            ahead.refill(from);
            found += count;
        }
        found
    }

    /// Takes away what the stock is given.
    pub(crate) fn refill(&mut self, from: Refill) {
        self.refills += 1;
        match from {
            Refill::Removed => self.removed.clear(),
            Refill::Discards => drop(self.discards.drain(..self.discards.len().saturating_sub(1))),
            Refill::Deck => self.decks_added += 1,
        }
    }
}
