//! Writing a position.
//!
//! **Invariant:** writes what the sketch holds; defaults are left out only where the reader has
//! the same ones.

use handfoot_cards::{Card, Cards, Kind};
use handfoot_rules::{Line, Rules};

use super::read::SEED_DEFAULT;
use super::{Looker, Sketch};
use crate::notation::{end_text, hex_text, push_cards, write_action};
use crate::{
    Action, Asked, Cap, Drew, FootStage, LaidCard, Lays, Phase, RoundResult, Seat, Seen, Team, Undo,
};

pub(super) fn text(sketch: &Sketch, rules: &Rules) -> String {
    let mut text = Text { text: String::new(), rules };
    text.head(sketch);
    text.zones(sketch);
    for seat in Seat::all(sketch.seats.len()) {
        text.seat(sketch, seat);
    }
    text.teams(sketch);
    text.laid(&sketch.table.laid);
    if let Some(way) = &sketch.way_out {
        let asked = write_action(&Action::AskToGoOut(way.clone()), rules.pack());
        text.line(&format!("way_out{}", asked.strip_prefix("ask").unwrap_or_default()));
    }
    for result in &sketch.history {
        text.round_result(result);
    }
    text.text
}

struct Text<'a> {
    text: String,
    rules: &'a Rules,
}

impl Text<'_> {
    fn line(&mut self, words: &str) {
        self.text.push_str(words);
        self.text.push('\n');
    }

    fn cards(&mut self, cards: impl IntoIterator<Item = Option<Card>>) {
        push_cards(&mut self.text, cards, self.rules.pack());
    }

    fn list(&mut self, key: &str, cards: &[Option<Card>]) {
        self.text.push_str(key);
        match cards {
            [] => self.text.push_str(" -"),
            _ => self.cards(cards.iter().copied()),
        }
        self.text.push('\n');
    }

    fn head(&mut self, sketch: &Sketch) {
        let table = &sketch.table;
        match sketch.viewer {
            Some(Looker::Seat(seat)) => self.line(&format!("view {seat}")),
            Some(Looker::Spectator) => self.line("view spectator"),
            None => {}
        }
        self.line(match table.options.undo {
            Undo::Off => "undo off",
            Undo::OwnTurn => "undo own_turn",
            Undo::ByConsent => "undo by_consent",
        });
        match table.options.lays {
            Lays::Open => {}
            Lays::Concealed => self.line("lays concealed"),
        }
        if table.undos > 0 {
            self.line(&format!("undos {}", table.undos));
        }
        self.line(&format!("events {}", table.event_index));
        self.line(&format!("round {}", u32::from(table.round_index) + 1));
        self.line(&format!("dealer {}", table.dealer));
        self.line(&format!("turns {}", table.turns));
        self.line(&phase_text(table.phase));
        if table.commitment != [0; 32] {
            self.line(&format!("commitment {}", hex_text(&table.commitment)));
        }
        if sketch.round_seed != [0; 32] {
            self.line(&format!("round_seed {}", hex_text(&sketch.round_seed)));
        }
        if let Some(seed) = &sketch.refill_seed {
            self.line(&format!("refill_seed {}", hex_text(seed)));
        }
        for (key, number) in
            [("refills", table.refills), ("added", table.decks_added), ("passes", table.passes)]
        {
            if number > 0 {
                self.line(&format!("{key} {number}"));
            }
        }
        if sketch.seed != SEED_DEFAULT {
            self.line(&format!("seed {}", sketch.seed));
        }
    }

    fn zones(&mut self, sketch: &Sketch) {
        self.list("stock", &sketch.stock);
        let discards: Vec<_> = sketch.table.discards.iter().rev().copied().map(Some).collect();
        self.list("discards", &discards);
        if !sketch.aside.is_empty() {
            self.list("aside", &sketch.aside);
        }
        if !sketch.table.removed.is_empty() {
            let removed: Vec<_> = sketch.table.removed.iter().copied().map(Some).collect();
            self.list("removed", &removed);
        }
        if !sketch.table.buried.is_empty() {
            let buried = self.rules.pack().write(&sketch.table.buried).to_string();
            self.line(&format!("buried {buried}"));
        }
    }

    fn seat(&mut self, sketch: &Sketch, seat: Seat) {
        let public = &sketch.table.seats[seat.index()];
        let cards = &sketch.seats[seat.index()];
        let packets = sketch.table.round(self.rules).packets.len();
        let packet = match usize::from(public.packet) {
            0 => "hand".to_owned(),
            packet if packet + 1 == packets => "foot".to_owned(),
            packet => format!("packet {}", packet + 1),
        };
        self.text.push_str(&format!("seat {seat} {packet}"));
        self.cards(cards.own.iter().copied());
        if cards.closed.iter().flatten().any(Option::is_some) {
            self.text.push_str(" ; closed");
            for (index, packet) in cards.closed.iter().enumerate() {
                self.text.push_str(if index > 0 { " /" } else { "" });
                self.cards(packet.iter().copied());
            }
        }
        if public.known.iter().any(|count| *count > 0) {
            self.text.push_str(" ; known");
            for (kind, count) in Kind::all().zip(public.known).filter(|(_, count)| *count > 0) {
                self.text.push_str(&format!(" {}x{count}", self.rules.pack().kind_name(kind)));
            }
        }
        if let Some(lifted) = public.lifted {
            self.text.push_str(&format!(" ; lifted {lifted}"));
        }
        let stage = match public.foot {
            FootStage::Waiting => "",
            FootStage::Pending => " ; pending",
            FootStage::Fresh => " ; fresh",
            FootStage::TakenUp => " ; taken_up",
            FootStage::Begun => " ; begun",
            FootStage::Played => " ; played",
            FootStage::FullTurn => " ; full_turn",
        };
        self.line(stage);
    }

    fn teams(&mut self, sketch: &Sketch) {
        let red_faces = self.rules.pack().red_three_faces();
        for (team, public) in Team::all(sketch.table.teams.len()).zip(&sketch.table.teams) {
            self.text.push_str(&format!("team {team} total {}", public.total));
            let red: Cards = red_faces
                .iter()
                .zip(public.red_threes)
                .flat_map(|(card, count)| std::iter::repeat_n(*card, usize::from(count)))
                .collect();
            if !red.is_empty() {
                self.text.push_str(" ; red");
                self.cards(red.iter().map(Some));
            }
            self.line("");
            for meld in &public.melds {
                self.text.push_str(&format!("meld {team}"));
                self.cards(meld.cards(self.rules).iter().map(Some));
                self.line(match meld.shape().cap {
                    Cap::Bare => "",
                    Cap::Capped => " ; capped",
                });
            }
        }
    }

    fn laid(&mut self, laid: &[LaidCard]) {
        let same = |a: &LaidCard, b: &LaidCard| (a.act, a.meld, a.seen) == (b.act, b.meld, b.seen);
        for run in laid.chunk_by(same) {
            let LaidCard { act, meld, seen, .. } = run[0];
            let key = match seen {
                Seen::Before => "laid_known",
                Seen::Never => "laid",
            };
            self.text.push_str(&format!("{key} {} m{}", u16::from(act) + 1, meld.number()));
            self.cards(run.iter().map(|laid| Some(laid.card)));
            self.line("");
        }
    }

    fn round_result(&mut self, result: &RoundResult) {
        let number = u32::from(result.round_index) + 1;
        let (how, seed) = (end_text(result.how), hex_text(&result.seed));
        self.line(&format!("result {number} {how} turns {} seed {seed}", result.turns));
        for (team, score) in (1..).zip(&result.scores) {
            self.text.push_str(&format!("score {team}"));
            for (line, Line { count, points }) in score.lines() {
                if (count, points) != (0, 0) {
                    self.text.push_str(&format!(" {} {count} {points}", line.name()));
                }
            }
            self.line("");
        }
        for (seat, shown) in (1..).zip(&result.shown) {
            let pack = self.rules.pack();
            let packets = shown.packets.iter().map(|packet| format!(" / {}", pack.write(packet)));
            let packets: String = packets.collect();
            self.line(&format!("shown {seat} {}{packets}", pack.write(&shown.own)));
        }
    }
}

fn phase_text(phase: Phase) -> String {
    let asked_text = |asked| match asked {
        Asked::NotYet => "",
        Asked::Granted => " ; asked granted",
        Asked::Refused => " ; asked refused",
    };
    match phase {
        Phase::Draw { seat, asked } => format!("turn {seat} draw{}", asked_text(asked)),
        Phase::Play { seat, drew, asked } => {
            format!("turn {seat} play {}{}", drew_text(drew), asked_text(asked))
        }
        Phase::AwaitAnswer { asker, answering, drew: None } => {
            format!("turn {asker} asks {answering}")
        }
        Phase::AwaitAnswer { asker, answering, drew: Some(drew) } => {
            format!("turn {asker} asks {answering} ; after {}", drew_text(drew))
        }
        Phase::AwaitUndo { asker, answering, acts, drew, asked } => {
            let (drew, asked) = (drew_text(drew), asked_text(asked));
            format!("turn {asker} asks_undo {answering} {acts} after {drew}{asked}")
        }
        Phase::RoundOver { how } => format!("round_over {}", end_text(how)),
        Phase::GameOver { how } => format!("game_over {}", end_text(how)),
    }
}

const fn drew_text(drew: Drew) -> &'static str {
    match drew {
        Drew::Stock => "stock",
        Drew::Discards => "discards",
    }
}
