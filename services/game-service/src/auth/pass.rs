//! Passes: proof that a credential was verified.
//!
//! **Invariant:** made in `auth` only, after verification. A handler that takes a pass cannot be
//! reached without one, and takes tenant, table and seat from nowhere else.

use handfoot_engine::Viewer;
use handfoot_store::{Millis, TableId, Tenant};
use handfoot_view::Seat;

use super::{
    AuthError, Generation, LeaseId, PlatformScope, PlatformScopes, SeatScope, SeatScopes,
    TenantScope,
};

/// A verified seat token: one seat of one table, or a spectator there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPass {
    pub(super) tenant: Tenant,
    pub(super) table: TableId,
    pub(super) viewer: Viewer,
    pub(super) generation: Generation,
    pub(super) scopes: SeatScopes,
    pub(super) lease: Option<LeaseId>,
    pub(super) expires: Millis,
}

impl SeatPass {
    /// Whose table it is.
    #[must_use]
    pub const fn tenant(&self) -> &Tenant {
        &self.tenant
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &TableId {
        &self.table
    }

    /// As whom the holder sees the table.
    #[must_use]
    pub const fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// Which tokens of the seat it belongs to; compare with the table's.
    #[must_use]
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    /// What it allows.
    #[must_use]
    pub const fn scopes(&self) -> SeatScopes {
        self.scopes
    }

    /// The lease it dies with, if it was made for a bot's decision.
    #[must_use]
    pub const fn lease(&self) -> Option<&LeaseId> {
        self.lease.as_ref()
    }

    /// When it runs out; a stream may not outlast it.
    #[must_use]
    pub const fn expires(&self) -> Millis {
        self.expires
    }

    /// Holds if it allows this.
    ///
    /// # Errors
    ///
    /// `ScopeMissing` if it does not.
    pub const fn require(&self, scope: SeatScope) -> Result<(), AuthError> {
        self.scopes.require(scope)
    }

    /// The seat that may be played with it.
    ///
    /// # Errors
    ///
    /// `NotSeated` for a spectator, `ScopeMissing` if it only lets watch.
    pub const fn player(&self) -> Result<Seat, AuthError> {
        match (self.viewer, self.require(SeatScope::Play)) {
            (Viewer::Spectator, _) => Err(AuthError::NotSeated),
            (Viewer::Seat(seat), Ok(())) => Ok(seat),
            (Viewer::Seat(_), Err(error)) => Err(error),
        }
    }
}

/// A verified platform credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformPass {
    pub(super) tenant: Tenant,
    pub(super) scopes: PlatformScopes,
}

impl PlatformPass {
    /// Whose platform it is; it sees its own tables only.
    #[must_use]
    pub const fn tenant(&self) -> &Tenant {
        &self.tenant
    }

    /// What it allows.
    #[must_use]
    pub const fn scopes(&self) -> PlatformScopes {
        self.scopes
    }

    /// Holds if it allows this.
    ///
    /// # Errors
    ///
    /// `ScopeMissing` if it does not.
    pub const fn require(&self, scope: PlatformScope) -> Result<(), AuthError> {
        self.scopes.require(scope)
    }
}

/// A verified bot credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotPass {
    pub(super) tenants: TenantScope,
}

impl BotPass {
    /// Whose tables the worker may play at.
    #[must_use]
    pub const fn tenants(&self) -> &TenantScope {
        &self.tenants
    }
}
