//! Keys that a service on one machine makes for itself.
//!
//! **Invariant:** what is kept on disk can be read by its owner only. Whoever serves shows the API
//! keys once and binds loopback only.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use handfoot_store::{Clock, Tenant};

use super::credential::{BOT_PREFIX, PLATFORM_PREFIX, made, tag_of};
use super::secret::{hex, random, unhex};
use super::{
    ApiKey, BotCredential, CredentialKey, KeySet, Keys, PlatformCredential, PlatformScopes,
    SigningKey, TenantScope,
};

/// The tenant of everything on one machine, and the id of its API keys.
const LOCAL: &str = "local";

/// First line of a key file.
const FORMAT: &str = "handfoot-local-keys 1";

/// The API keys of a service on one machine.
#[derive(Clone, Debug)]
pub struct LocalCredentials {
    /// For tables; it may choose seeds.
    pub platform: ApiKey,
    /// For bot workers, at every table.
    pub bot: ApiKey,
}

/// Why local keys cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file cannot be read or written.
    #[error(
        "the key file {path} cannot be used ({kind}); it must be a file that this user may read and write"
    )]
    NotUsable {
        /// The path.
        path: PathBuf,
        /// What the system says.
        kind: ErrorKind,
    },
    /// It is not a key file.
    #[error(
        "{path} is not a key file; move it away, and new keys are made (tokens given out before end with it)"
    )]
    NotKeys {
        /// The path.
        path: PathBuf,
    },
    /// The machine gives no random bytes.
    #[error("the machine gives no random bytes, so no keys can be made")]
    NoRandomness,
}

/// Makes the keys of a service on one machine; with a file, the same ones at every start.
///
/// # Errors
///
/// Says what is wrong with the file and what to do.
///
/// # Panics
///
/// Never: what it expects holds for every key.
pub fn local_keys(
    file: Option<&Path>,
    clock: Arc<dyn Clock>,
) -> Result<(Keys, LocalCredentials), KeyFileError> {
    let kept = match file {
        Some(path) => Kept::load_or_make(path)?,
        None => Kept::make()?,
    };
    let credential_key = CredentialKey::from_bytes(&random().ok_or(KeyFileError::NoRandomness)?);
    let tenant: Tenant = LOCAL.parse().expect("it is a name");
    let platform = PlatformCredential {
        id: tenant.clone(),
        tag: tag_of(&kept.platform, &credential_key),
        tenant: tenant.clone(),
        scopes: PlatformScopes::EVERYTHING,
    };
    let bot = BotCredential {
        id: tenant,
        tag: tag_of(&kept.bot, &credential_key),
        tenants: TenantScope::Every,
    };
    let set = KeySet {
        signing: SigningKey::from_seed(&kept.seed).expect("any 32 bytes are a key"),
        previous: None,
        credential_key,
        platforms: vec![platform],
        bots: vec![bot],
    };
    let credentials = LocalCredentials { platform: kept.platform, bot: kept.bot };
    Ok((Keys::new(set, clock), credentials))
}

/// What a key file holds.
struct Kept {
    seed: [u8; 32],
    platform: ApiKey,
    bot: ApiKey,
}

impl Kept {
    fn make() -> Result<Self, KeyFileError> {
        let tenant: Tenant = LOCAL.parse().expect("it is a name");
        let parts = (random(), made(PLATFORM_PREFIX, &tenant), made(BOT_PREFIX, &tenant));
        let (Some(seed), Some(platform), Some(bot)) = parts else {
            return Err(KeyFileError::NoRandomness);
        };
        Ok(Self { seed, platform, bot })
    }

    fn load_or_make(path: &Path) -> Result<Self, KeyFileError> {
        let not_usable = |error: std::io::Error| KeyFileError::NotUsable {
            path: path.to_owned(),
            kind: error.kind(),
        };
        match std::fs::read(path) {
            Ok(bytes) => {
                let text = std::str::from_utf8(&bytes).ok();
                let kept = text.and_then(Self::from_text);
                kept.ok_or_else(|| KeyFileError::NotKeys { path: path.to_owned() })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let kept = Self::make()?;
                kept.write(path).map_err(not_usable)?;
                Ok(kept)
            }
            Err(error) => Err(not_usable(error)),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(FORMAT) {
            return None;
        }
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let seed = unhex(value("token-key")?)?;
        let mut key = |name: &str, prefix: &str| {
            let text = value(name)?;
            let secret = text.strip_prefix(prefix)?.strip_prefix(LOCAL)?.strip_prefix('.')?;
            unhex::<32>(secret).map(|_| ApiKey { text: text.to_owned() })
        };
        let platform = key("platform-key", PLATFORM_PREFIX)?;
        let bot = key("bot-key", BOT_PREFIX)?;
        Some(Self { seed, platform, bot })
    }

    /// Writes beside the file and puts it in its place in one step: a crash leaves no half a file.
    fn write(&self, path: &Path) -> Result<(), std::io::Error> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut file = owners_file(Path::new(&beside))?;
        let (seed, platform, bot) = (hex(&self.seed), self.platform.reveal(), self.bot.reveal());
        writeln!(file, "{FORMAT}\ntoken-key {seed}\nplatform-key {platform}\nbot-key {bot}")?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    }
}

/// A new file that its owner alone may read and write.
fn owners_file(path: &Path) -> Result<File, std::io::Error> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // Left behind by a crash; nobody has used what is in it.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            options.open(path)
        }
        opened => opened,
    }
}
