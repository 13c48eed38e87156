//! Every phase with every sort of action: accepted, or the first refusal.
//!
//! **Invariant:** the whole machine on one page; a change of it is a change of this table.

use std::fmt::Write;

use handfoot_view::{Asked, Drew, Phase, RoundEnd, judge};

use crate::tables::{Table, seat, whitnack};

/// What a seat might ask for, each legal in some phase.
const ACTIONS: [(&str, &str); 9] = [
    ("draw", "draw"),
    ("take", "take KH KC KD"),
    ("lay", "lay m1 9C"),
    ("ask", "ask lay KC KD KS / m1 9C ; discard 4C"),
    ("ask+take", "ask take KH KC KD KS ; lay m1 9C ; discard 4C"),
    ("answer", "answer yes"),
    ("discard", "discard 4C"),
    ("undo", "undo 1"),
    ("answer undo", "answer_undo no"),
];

/// The phases, seat 1 being the one on turn, or the one that asked seat 3.
fn phases() -> Vec<(&'static str, Phase)> {
    let play = |drew, asked| Phase::Play { seat: seat(1), drew, asked };
    let await_answer = |drew| Phase::AwaitAnswer { asker: seat(1), answering: seat(3), drew };
    let how = RoundEnd::WentOut(seat(1));
    vec![
        ("draw", Phase::Draw { seat: seat(1), asked: Asked::NotYet }),
        ("draw, refused", Phase::Draw { seat: seat(1), asked: Asked::Refused }),
        ("play, drew", play(Drew::Stock, Asked::NotYet)),
        ("play, took", play(Drew::Discards, Asked::NotYet)),
        ("play, refused", play(Drew::Stock, Asked::Refused)),
        ("play, granted", play(Drew::Stock, Asked::Granted)),
        ("asked in play", await_answer(Some(Drew::Stock))),
        ("asked in draw", await_answer(None)),
        (
            "asked to undo",
            Phase::AwaitUndo {
                asker: seat(1),
                answering: seat(3),
                acts: 1,
                drew: Drew::Stock,
                asked: Asked::NotYet,
            },
        ),
        ("round over", Phase::RoundOver { how }),
        ("game over", Phase::GameOver { how }),
    ]
}

/// A seat that could do anything, were it its turn.
fn table(number: usize, phase: Phase) -> Table {
    let mut table = Table::new(whitnack()).all_in_foot().discards("KH").seen_by(number);
    table = table.own("KC KD KS 9C 4C").phase(phase);
    // Either team could go out.
    let opened = Table::new(whitnack()).meld("9x3").contract();
    for team in &mut table.public.teams {
        team.melds.clone_from(&opened.public.teams[0].melds);
    }
    if let Phase::Play { .. } = phase {
        let nine = table.own.iter().find(|card| card.kind() == handfoot_cards::Kind::NINE);
        let meld = handfoot_view::MeldId::from_number(1).unwrap();
        let seen = handfoot_view::Seen::Never;
        let laid = handfoot_view::LaidCard { act: 0, meld, card: nine.unwrap(), seen };
        table.public.laid.push(laid);
    }
    table
}

fn matrix() -> String {
    let mut text = format!("{:<24}", "");
    text.extend(ACTIONS.map(|(sort, _)| format!("{sort:<18}")));
    for (name, phase) in phases() {
        for (number, who) in [(1, "seat"), (3, "partner"), (2, "other")] {
            let table = table(number, phase);
            text.truncate(text.trim_end().len());
            write!(text, "\n{:<24}", format!("{name}: {who}")).unwrap();
            for (_, action) in ACTIONS {
                let verdict = match judge(table.view(), &table.action(action)) {
                    Ok(()) => "ok".to_owned(),
                    Err(refusal) => refusal.reason().to_ascii_lowercase(),
                };
                write!(text, "{verdict:<18}").unwrap();
            }
        }
    }
    text
}

/// Only the seat on turn acts, or a team-mate who is asked. Rule: HF-2.1, HF-2.2, HF-8.4, HF-8.6
#[test]
fn every_phase_allows_what_it_should() {
    insta::assert_snapshot!(matrix());
}

/// Whatever is accepted somewhere is refused to everybody else. Rule: HF-2.1
#[test]
fn nobody_acts_out_of_turn() {
    for (name, phase) in phases() {
        for (_, action) in ACTIONS {
            let accepting = (1..=4).filter(|number| {
                let table = table(*number, phase);
                judge(table.view(), &table.action(action)).is_ok()
            });
            assert!(accepting.count() <= 1, "{name}: {action}");
        }
    }
}
