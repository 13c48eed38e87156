//! The laws over the bytes that are sent, by random rule sets.
//!
//! **Invariant:** a failure prints genes that shrink towards the default rules. How many rule sets
//! are tried follows from `HANDFOOT_RULE_SETS`.

use std::sync::Arc;

use handfoot_engine::laws::honest;
use handfoot_engine::{Events, World};
use handfoot_protocol::{Codec, decode_draft, encode_draft, v1};
use handfoot_rules::Rules;
use handfoot_test_kit::{chance, choose, config, game, genes, rule_set, viewers};
use handfoot_view::{Seat, TableView};
use proptest::prelude::*;
use prost::Message;

use crate::laws::{cannot_tell, received, sent};

/// Steps of each game that are followed.
const STEPS: usize = 700;

proptest! {
    #![proptest_config(config(16))]

    /// A snapshot kept up to date by decoded events is what would be sent now, and what a seat
    /// cannot know changes no byte. Rule: HF-11.1, HF-11.2
    #[test]
    fn random_rule_sets_keep_the_laws_of_bytes((genes, rules) in rule_set(), seed in any::<u64>()) {
        let kept = follow(&rules, seed);
        prop_assert!(kept.is_ok(), "{}\ngenes {:?}\n{}", kept.unwrap_err(), genes, rules.draft().to_toml());
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// Any parameters, playable or not, come back from the wire.
    #[test]
    fn random_drafts_come_back(genes in genes()) {
        let draft = genes.draft();
        let bytes = encode_draft(&draft).encode_to_vec();
        let read = decode_draft(&v1::RulesDraft::decode(bytes.as_slice()).unwrap()).unwrap();
        prop_assert_eq!(read, draft);
    }
}

fn follow(rules: &Arc<Rules>, seed: u64) -> Result<(), String> {
    let codec = Codec::new(rules);
    let (mut game, mut rng, mut events) = (game(rules, seed), chance(seed), Events::new());
    let viewers = viewers(rules);
    let first = |viewer| {
        let snapshot = received(&codec.encode_view(&game.table_view(viewer)));
        codec.decode_view(&snapshot).map_err(|error| format!("view: {error:?}"))
    };
    let views: Result<Vec<TableView>, String> = viewers.iter().copied().map(first).collect();
    let mut views = views?;
    for steps in 0..STEPS {
        events.clear();
        match game.public().to_act() {
            Some(seat) => {
                let action = choose(game.view(seat).as_ref(), &mut rng);
                let action = action.ok_or_else(|| format!("seat {seat} cannot act"))?;
                game.play(seat, &action, &mut events).map_err(|refused| refused.to_string())?;
            }
            None if game.deal_next(&[], &mut events).is_err() => return Ok(()),
            None => {}
        }
        for (viewer, view) in viewers.iter().zip(&mut views) {
            let seen = events.seen_by(*viewer).map(|seen| codec.encode_event(seen.event()));
            let commit = received(&v1::Commit { events: seen.collect(), ..Default::default() });
            let decoded = codec.decode_events(&commit.events);
            for event in decoded.map_err(|error| format!("events: {error:?}"))? {
                view.apply(&event, rules);
            }
            let now = codec.encode_view(&game.table_view(*viewer)).encode_to_vec();
            if codec.encode_view(view).encode_to_vec() != now {
                return Err(format!("fold: {viewer:?} at step {steps}"));
            }
        }
        if steps % 61 == 0 {
            let all = Seat::all(rules.seats());
            for seat in all {
                let view = game.view(seat);
                let worlds = [(); 2].map(|()| World::resample(view.as_ref(), rules, &mut rng));
                let real = TableView { history: Vec::new(), ..view.to_table_view() };
                let as_sampled = sent(codec, &real) == sent(codec, &honest(&worlds[0], seat));
                if !as_sampled || !cannot_tell(seat, &worlds, rules, honest) {
                    return Err(format!("non-interference: seat {seat} at step {steps}"));
                }
            }
        }
    }
    Ok(())
}
