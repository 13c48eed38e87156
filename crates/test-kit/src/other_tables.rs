//! Rule sets that keep and tell more than the presets do.
//!
//! **Invariant:** the same list every time.

use std::sync::Arc;

use handfoot_cards::{NamedKind, Role};
use handfoot_rules::{
    Decks, ExactPick, ExactPickModel, FootAfterDiscard, FootAfterMeld, OpeningBy, PackChoice,
    PerRound, Preset, Rules, RulesDraft, StockThen, WildDiscard,
};

/// Rule sets whose tables keep and tell more than the presets do.
///
/// # Panics
///
/// If one of them is no longer accepted.
#[must_use]
pub fn other_tables() -> Vec<Arc<Rules>> {
    let changes: [fn(&mut RulesDraft); 5] = [
        |d| {
            d.wild_discard = WildDiscard::RemoveDiscards;
            d.upcard.bury.clear();
            d.stock_out.then = StockThen::ReshuffleDiscards;
        },
        |d| {
            d.stock_out.then = StockThen::AddDeck;
            d.stock_out.max_added = Some(2);
            d.exact_pick = ExactPick { bonus: 100, model: ExactPickModel::Chance(0.5) };
        },
        |d| {
            d.stock_out.then = StockThen::PlayOn;
            d.packets = PerRound::Same(vec![5, 6, 7]);
        },
        |d| {
            d.foot.after_discard = FootAfterDiscard::EndOfTurn;
            d.foot.after_meld = FootAfterMeld::EndTurn;
            d.opening.by = OpeningBy::TeamScore(vec![0, 500, 1000, 1500]);
        },
        named_pack,
    ];
    let small = |change: fn(&mut RulesDraft)| {
        let mut draft = Preset::find("whitnack")
            .expect("the preset is there")
            .draft(Some(4), None)
            .expect("it allows the table");
        draft.decks = Decks::Fixed(4);
        draft.book_size = 4;
        draft.packets = PerRound::Same(vec![9, 9]);
        change(&mut draft);
        Arc::new(Rules::new(draft).expect("it can be played").rules)
    };
    changes.into_iter().map(small).collect()
}

fn named_pack(draft: &mut RulesDraft) {
    let kind = |name: &str, number, role| NamedKind { name: name.to_owned(), number, role };
    let mut kinds: Vec<NamedKind> =
        (1..=12).map(|n: u8| kind(&n.to_string(), 16, Role::Natural)).collect();
    kinds.push(kind("Lord", 20, Role::Natural));
    kinds.push(kind("Jester", 20, Role::Wild));
    kinds.push(kind("Villain", 10, Role::BlackThree));
    kinds.push(kind("Lady", 10, Role::RedThree));
    draft.card_value.0 = kinds.iter().map(|kind| (kind.name.clone(), 10)).collect();
    draft.pack = PackChoice::Kinds(kinds);
}
