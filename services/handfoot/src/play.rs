//! `handfoot play`: a terminal game for one person against bots, through the API.
//!
//! **Invariant:** what is shown is what the person's seat was sent; what is offered is what the
//! service lists. Lines in, lines out: it works in a pipe as in a terminal.

mod draw;
mod offer;
mod tell;
mod words;

use std::io::BufRead;

use handfoot_bots::Level;
use handfoot_client::{
    ClientError, Connection, Decision, Endpoint, Known, Legal, PlatformClient, PlatformCredential,
    PlayClient, SeatToken, Settings, Submitted, TableWatch, UndoDecision, Update,
};
use handfoot_protocol::v1::SnapshotCause;
use handfoot_protocol::{Advice, Codec, v1};
use handfoot_view::notation::read_action;
use handfoot_view::{Action, Phase, ScoreSheet, Step, Team};

use crate::calls::{self, Order, Sitter, call_failed};
use crate::cli::PlayArgs;
use crate::exit::{Exit, Stop, failed};
use crate::local::{Local, Wanted, runtime};
use crate::names::{team_name, thousands};
use crate::out::Out;
use crate::scores;
use crate::secure;
use crate::setup::{self, NamedRules};
use crate::sheet::sheet;

use tell::Teller;
use words::{Entry, HELP};

/// How the token of a platform begins.
const PLATFORM_TOKEN: &str = "hfp_";

/// Commits of a first lap that are told, at most.
const LAP_COMMITS_MAX: u32 = 200;

/// Plays until the game is over or the person has had enough.
pub(crate) fn run(args: &PlayArgs) -> Result<Exit, Stop> {
    let threads = runtime()?;
    let played = threads.block_on(play(args));
    threads.shutdown_background();
    played
}

async fn play(args: &PlayArgs) -> Result<Exit, Stop> {
    let (client, local) = match &args.connect {
        None => own_table(args).await?,
        Some(_) => (table_elsewhere(args).await?, None),
    };
    let mut sitting = Sitting::new(client);
    let ended = sitting.play().await;
    if let Some(local) = local {
        local.stop().await?;
    }
    ended
}

/// Starts the services here and sits down with bots.
async fn own_table(args: &PlayArgs) -> Result<(PlayClient, Option<Local>), Stop> {
    let named = setup::rules(&args.table)?;
    let sitters = sitters(args, named.rules.seats())?;
    let mut local = Local::start(&Wanted::PRIVATE).await?;
    local.start_bots(Level::ALL.to_vec())?;
    let order = order_of(args, &named, &sitters);
    let platform = local.platform()?;
    let token = seat_of_new_table(&platform, &order).await?;
    Ok((PlayClient::new(local.connection()?, token), Some(local)))
}

/// Sits down at a server: at a table of one's own, or where the token says.
async fn table_elsewhere(args: &PlayArgs) -> Result<PlayClient, Stop> {
    let endpoints: Vec<Endpoint> = args.connect.iter().cloned().collect();
    let token = args.token.as_deref().ok_or_else(|| {
        let next = "--token with what handfoot serve printed, or with the token of a seat";
        failed(Exit::Usage, "--connect needs a token", next)
    })?;
    let unusable =
        |error| failed(Exit::Usage, format!("--token: {error}"), "a token as it was printed");
    let settings =
        Settings { tls: secure::settings(&args.tls, &endpoints)?, ..Settings::default() };
    let connection = Connection::to(endpoints, &settings);
    if !token.starts_with(PLATFORM_TOKEN) {
        let token = SeatToken::new(token).map_err(unusable)?;
        return Ok(PlayClient::new(connection, token));
    }
    let named = setup::rules(&args.table)?;
    let sitters = sitters(args, named.rules.seats())?;
    let order = order_of(args, &named, &sitters);
    let credential = PlatformCredential::new(token).map_err(unusable)?;
    let platform = PlatformClient::new(connection.clone(), credential);
    let token = seat_of_new_table(&platform, &order).await?;
    Ok(PlayClient::new(connection, token))
}

fn order_of<'a>(args: &PlayArgs, named: &'a NamedRules, sitters: &'a [Sitter]) -> Order<'a> {
    let seat_order = match args.draw_seats {
        true => v1::SeatOrder::Drawn,
        false => v1::SeatOrder::AsSeated,
    };
    Order { rules: named, seed: args.seed, options: args.options, seat_order, sitters }
}

/// The person and then bots, in the order in which the table seats them: from seat 1 on, or where
/// seats are drawn as the draw says.
fn sitters(args: &PlayArgs, seats: usize) -> Result<Vec<Sitter>, Stop> {
    let levels = setup::levels_of(&args.bots, seats - 1)?;
    Ok(std::iter::once(Sitter::Person).chain(levels.into_iter().map(Sitter::Bot)).collect())
}

async fn seat_of_new_table(
    platform: &PlatformClient,
    order: &Order<'_>,
) -> Result<SeatToken, Stop> {
    let opened = calls::open(platform, order).await?;
    calls::token(platform, &opened.table_id, opened.seat).await
}

/// A person at a table.
struct Sitting {
    client: PlayClient,
    watch: TableWatch,
    teller: Teller,
    out: Out,
}

/// What came of an entry.
enum Next {
    /// Another entry for the same decision.
    Ask,
    /// It was played: the table goes on at this version.
    Played(u64),
    /// What is known may be old.
    Reread,
    /// Enough.
    Quit,
}

impl Sitting {
    fn new(client: PlayClient) -> Sitting {
        Sitting { watch: client.watch(), client, teller: Teller::default(), out: Out::stdout() }
    }

    async fn play(&mut self) -> Result<Exit, Stop> {
        let mut version = 0;
        loop {
            let known = self.follow(version).await?;
            if is_over(&known) {
                self.conclude(&known)?;
                return Ok(Exit::Ok);
            }
            let legal = self.client.legal().await;
            let legal = legal.map_err(|error| call_failed("the table cannot be read", &error))?;
            version = known.stamp.version;
            if legal.version != version && !legal.actions.is_empty() {
                version = legal.version;
                continue;
            }
            draw::table(&mut self.out, &known)?;
            draw::own_cards(&mut self.out, &known)?;
            offer::offer(&mut self.out, &known, &legal, offer::Length::Short)?;
            match self.ask(&known, &legal).await? {
                Next::Played(at) => version = at,
                Next::Ask | Next::Reread => {}
                Next::Quit => {
                    self.out.line("Goodbye.")?;
                    return Ok(Exit::Ok);
                }
            }
        }
    }

    /// Follows the table, telling what happens, up to this version and until the person is to act
    /// or the game is over.
    async fn follow(&mut self, version: u64) -> Result<Known, Stop> {
        loop {
            if let Some(known) = self.watch.known()
                && known.stamp.version >= version
                && (known.is_to_act() || is_over(known))
            {
                let known = known.clone();
                self.teller.rest(&mut self.out)?;
                return Ok(known);
            }
            let update = self.watch.next().await;
            let update =
                update.map_err(|error| call_failed("the table cannot be followed", &error))?;
            let Some(known) = self.watch.known() else { continue };
            match update {
                Update::Snapshot { cause: SnapshotCause::Start, .. } => {
                    let seat = known.view.seat.ok_or_else(spectator)?;
                    self.teller.begin(&mut self.out, known, seat)?;
                    let known = known.clone();
                    self.first_lap(&known).await?;
                }
                Update::Snapshot { .. } => {
                    self.out.line("  (some of what happened was missed)")?;
                    self.teller.note(known);
                }
                Update::Commit(step) => {
                    for event in &step.events {
                        self.teller.tell(&mut self.out, known, event)?;
                    }
                    self.teller.note(known);
                }
                // Long enough for a bot: perhaps there is none.
                Update::Heartbeat if known.stamp.version >= version => {
                    self.teller.rest(&mut self.out)?;
                    let seat = known.view.table.to_act().map_or(0, handfoot_view::Seat::number);
                    let hint = "bots play where handfoot serve --bots runs";
                    self.out.line(format!("  (waiting for seat {seat}; {hint})"))?;
                }
                Update::Presence(_) | Update::Heartbeat => {}
                Update::Closed => {
                    let next = "another game: handfoot play";
                    return Err(failed(Exit::Unavailable, "the table was closed", next));
                }
            }
        }
    }

    /// Tells what others did before the person first looked, if the game has only begun.
    async fn first_lap(&mut self, known: &Known) -> Result<(), Stop> {
        let table = &known.view.table;
        if table.round_index > 0 || usize::from(table.turns) > known.rules.seats() {
            return Ok(());
        }
        let request = v1::ListCommitsRequest { page_size: LAP_COMMITS_MAX, ..Default::default() };
        let page = self.client.commits(request).await;
        let page = page.map_err(|error| call_failed("the log cannot be read", &error))?;
        for commit in page.commits {
            let is_known = commit.stamp.is_some_and(|at| at.version <= known.stamp.version);
            let events = Codec::new(&known.rules).decode_events(&commit.events);
            for event in events.iter().flatten().filter(|_| is_known) {
                self.teller.tell_again(&mut self.out, known, event)?;
            }
        }
        Ok(())
    }

    /// Takes entries until one changes something.
    async fn ask(&mut self, known: &Known, legal: &Legal) -> Result<Next, Stop> {
        loop {
            let seat = known.view.seat.map_or(0, handfoot_view::Seat::number);
            self.out.text(&format!("seat {seat}> "))?;
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line);
            if read.map_err(|error| unreadable(&error))? == 0 {
                self.out.line("")?;
                return Ok(Next::Quit);
            }
            let next = match Entry::read(&line) {
                Entry::Nothing => Next::Ask,
                Entry::Quit => Next::Quit,
                Entry::Help => self.say(HELP)?,
                Entry::Hand => {
                    draw::own_cards(&mut self.out, known)?;
                    Next::Ask
                }
                Entry::Table => {
                    draw::table(&mut self.out, known)?;
                    Next::Ask
                }
                Entry::List => {
                    offer::offer(&mut self.out, known, legal, offer::Length::Full)?;
                    Next::Ask
                }
                Entry::Sheet => self.sheets(known)?,
                Entry::Number(number) => {
                    match number.checked_sub(1).map(|n| legal.actions.get(n)) {
                        Some(Some(action)) => self.submit(known, action.clone()).await?,
                        Some(None) | None => {
                            let most = legal.actions.len();
                            self.say(&format!(
                                "  there is no {number}: choose 1 to {most}, or type"
                            ))?
                        }
                    }
                }
                Entry::Undo(acts) => {
                    let decision = UndoDecision::new(known.stamp.version, acts);
                    let submitted = self.client.undo(&decision).await;
                    self.settle(known, submitted)?
                }
                Entry::Answer(answer) => {
                    let action = match legal.menu.step {
                        Step::AnswerUndo => Action::AnswerUndo(answer),
                        Step::Answer | Step::Draw | Step::Play | Step::Wait | Step::Over => {
                            Action::AnswerGoOut(answer)
                        }
                    };
                    self.submit(known, action).await?
                }
                Entry::Action(text) => match self.typed(known, &text)? {
                    Some(action) => self.submit(known, action).await?,
                    None => Next::Ask,
                },
            };
            match next {
                Next::Ask => {}
                Next::Played(_) | Next::Reread | Next::Quit => return Ok(next),
            }
        }
    }

    fn say(&mut self, text: &str) -> Result<Next, Stop> {
        self.out.line(text)?;
        Ok(Next::Ask)
    }

    /// Reads an action that was typed; says what is wrong with it if it is none.
    fn typed(&mut self, known: &Known, text: &str) -> Result<Option<Action>, Stop> {
        let view = known.view.lend(&known.rules).ok_or_else(spectator)?;
        match read_action(text, view) {
            Ok(action) => Ok(Some(action)),
            Err(error) => {
                self.out.line(format!("  not understood: {error}"))?;
                self.out.line("  try: a number, draw, take, lay, discard; help shows how")?;
                Ok(None)
            }
        }
    }

    async fn submit(&mut self, known: &Known, action: Action) -> Result<Next, Stop> {
        let decision = Decision::new(known.stamp.version, vec![action]);
        let submitted = self.client.submit(&decision).await;
        self.settle(known, submitted)
    }

    /// What an answer of the service means for the person.
    fn settle(
        &mut self,
        known: &Known,
        submitted: Result<Submitted, ClientError>,
    ) -> Result<Next, Stop> {
        let error = match submitted {
            Ok(submitted) => {
                let stamp = submitted.commit.and_then(|commit| commit.stamp);
                let next = known.stamp.version + 1;
                return Ok(Next::Played(stamp.map_or(next, |stamp| stamp.version)));
            }
            Err(error) => error,
        };
        let said = match &error {
            ClientError::Refused(refused) => refused.message.clone(),
            ClientError::NotReached
            | ClientError::Insecure(_)
            | ClientError::Broken { .. }
            | ClientError::DeadlineExceeded { .. }
            | ClientError::Answer(_) => error.to_string(),
        };
        self.out.line(format!("  no: {said}"))?;
        match error.advice() {
            Advice::FixRequest | Advice::Decide | Advice::Wait => {
                self.out.line(format!("  try: {}", offer::remedy(error.label())))?;
                Ok(Next::Ask)
            }
            Advice::Reread | Advice::Retry => {
                self.out.line("  the table is read again")?;
                Ok(Next::Reread)
            }
            Advice::Authorise | Advice::GiveUp => Err(call_failed("it cannot be played", &error)),
        }
    }

    /// The sheet of the last round, and how the game stands.
    fn sheets(&mut self, known: &Known) -> Result<Next, Stop> {
        match known.view.history.last() {
            Some(result) => {
                for line in sheet(result, &known.view.table, &known.rules) {
                    self.out.line(line)?;
                }
            }
            None => {
                self.out.line("  score sheet: no round is scored yet")?;
                self.totals(known)?;
            }
        }
        Ok(Next::Ask)
    }

    fn totals(&mut self, known: &Known) -> Result<(), Stop> {
        for team in Team::all(known.rules.teams()) {
            let total = thousands(i64::from(known.view.table.teams[team.index()].total));
            self.out.line(format!("  {:<8}{total:>10}", team_name(team, &known.rules)))?;
        }
        Ok(())
    }

    fn conclude(&mut self, known: &Known) -> Result<(), Stop> {
        self.out.headline("The game is over")?;
        let sheet = ScoreSheet::of(&known.view.history, &[], &known.rules);
        for line in scores::summary(&sheet, &known.rules) {
            self.out.line(line)?;
        }
        let own = known.view.seat.map(|seat| known.view.table.team_of(seat));
        let mut leaders = known.view.table.leaders();
        let word = match leaders.any(|team| Some(team) == own) {
            true => "You win.",
            false => "The others win.",
        };
        self.out.line(word)
    }
}

const fn is_over(known: &Known) -> bool {
    matches!(known.view.table.phase, Phase::GameOver { .. })
}

fn spectator() -> Stop {
    let next = "the token of a seat, or the platform token that handfoot serve printed";
    failed(Exit::Usage, "the token lets watch, not play", next)
}

fn unreadable(error: &std::io::Error) -> Stop {
    failed(Exit::NoInput, format!("nothing can be read: {error}"), "a terminal, or a pipe of lines")
}

/// Who plays a seat, for people.
fn player_name(player: Option<&v1::SeatPlayer>) -> String {
    use v1::seat_owner::Owner;
    match player.and_then(|player| player.owner.as_ref()).and_then(|owner| owner.owner.as_ref()) {
        Some(Owner::Bot(bot)) => format!("bot, {}", bot.level),
        Some(Owner::Person(person)) if person.display_name.is_empty() => "person".to_owned(),
        Some(Owner::Person(person)) => person.display_name.clone(),
        None => "nobody".to_owned(),
    }
}
