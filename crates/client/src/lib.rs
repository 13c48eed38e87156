//! Calls the services of Hand and Foot: plays a seat, watches a table, runs tables, works for bots.
//!
//! A [`Connection`] reaches one or many servers, over TLS where `https://` is written, follows their
//! names as those move, and sends the same request again when the contract's policy allows it. On it
//! stand [`PlayClient`] for a seat, [`TableWatch`] for the stream of a table, [`PlatformClient`] and
//! [`DispatchClient`].
//!
//! **Invariant:** a request id is made once for a decision, never for an attempt. No credential and
//! no card is printed. **Boundary:** this crate cannot name the engine: it knows what its caller's
//! seat may know.

mod caller;
mod connection;
mod credential;
mod dispatch;
mod endpoint;
mod error;
mod jitter;
mod known;
mod line;
mod link;
mod observed;
mod platform;
mod play;
mod policy;
mod pool;
mod tls;
mod trace_origin;
mod watch;

pub use connection::{Connection, ObserveCalls, Settings};
pub use credential::{BotCredential, NotACredential, PlatformCredential, SeatToken};
pub use dispatch::{BotSecret, BotTask, DispatchClient, Lease, TurnOrder, UnreadableTask};
pub use endpoint::{DEFAULT_PORT, DEFAULT_TLS_PORT, Endpoint, EndpointProblem};
pub use error::{AnswerProblem, ClientError, Refused};
pub use known::{Known, NotNext};
pub use platform::{IssuedToken, PlatformClient};
pub use play::{Decision, Legal, PlayClient, Played, Submitted, UndoDecision};
pub use pool::Resolve;
pub use tls::{IdentityFiles, TlsMistake, TlsPart, TlsProblem, TlsSettings};
pub use trace_origin::TraceOrigin;
pub use watch::{Step, TableWatch, Update};
