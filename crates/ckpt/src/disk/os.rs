//! The real file system.

#![expect(
    clippy::disallowed_methods,
    reason = "all file access goes through this module"
)]

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::lock::{self, Lock, LockError, Subject};
use super::unnamed;
use super::{Budget, Disk, DiskDirectory, DiskFile, FileKind, FileStamp, Mode, Standing, Writers};
use crate::document::MAX_BYTES;

/// Most documents fit into twice this.
const READ_BLOCK: usize = 8 * 1024;

/// The file system of the machine.
///
/// Below its root no symbolic link is followed, anywhere in a path. To follow one, resolve it first.
#[derive(Debug, Clone, Default)]
pub(crate) struct OsDisk {
    root: Option<Root>,
    budget: Option<Arc<Budget>>,
}

/// The root as the user wrote it and its real path. The path to the root is the user's own, so it may contain links.
#[derive(Debug, Clone)]
struct Root {
    spelled: PathBuf,
    real: PathBuf,
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy)]
enum Access {
    Read,
    /// Reading and appending.
    Append,
    /// Writing from the start, whether or not the file exists.
    Create(Mode),
}

impl OsDisk {
    /// The files below a root.
    #[must_use]
    pub(crate) fn below(root: &Path) -> Self {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Self::at(root, &real)
    }

    /// The same, if the root's real path is already known.
    #[must_use]
    pub(crate) fn at(root: &Path, real: &Path) -> Self {
        Self {
            root: Some(Root {
                spelled: root.to_owned(),
                real: real.to_owned(),
            }),
            budget: None,
        }
    }

    /// Counts what is read against a budget.
    #[must_use]
    pub(crate) fn within(mut self, budget: Arc<Budget>) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The content of a file of at most `most` bytes.
    ///
    /// # Errors
    ///
    /// If it does not exist, cannot be read, is too large, or is not a regular file.
    pub(crate) fn read_up_to(self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        self.within(Arc::new(Budget::new(most))).read(path)
    }

    /// Gives a file a second name.
    pub(crate) fn link(&self, path: &Path, second: &Path) -> io::Result<()> {
        fs::hard_link(path, second)
    }

    /// What tells files apart, whatever their names; `None` if there is no such file.
    pub(crate) fn identity(&self, path: &Path) -> io::Result<Option<(u64, u64)>> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(platform::identity(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn open_for(&self, path: &Path, access: Access) -> io::Result<File> {
        match &self.root {
            Some(_) => platform::open_without_links(&self.real(path), access),
            None => platform::open(path, access),
        }
    }

    /// A path below the real root.
    fn real<'p>(&self, path: &'p Path) -> Cow<'p, Path> {
        let root = self.root.as_ref();
        let below = root.and_then(|root| Some((root, path.strip_prefix(&root.spelled).ok()?)));
        match below {
            Some((root, below)) => Cow::Owned(root.real.join(below)),
            None => Cow::Borrowed(path),
        }
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        self.budget
            .as_ref()
            .map_or(Ok(()), |budget| budget.take(bytes))
    }

    fn file(&self, file: File) -> io::Result<Box<dyn DiskFile>> {
        // A pipe would block us, and what is written to a device is lost.
        if !file.metadata()?.is_file() {
            return Err(not_regular());
        }
        Ok(Box::new(OsFile {
            file,
            budget: self.budget.clone(),
        }))
    }

    /// Reads a document's file. Refuses pipes, which would block us, and endless files, which would fill the memory.
    fn read_regular(&self, file: &File) -> io::Result<Vec<u8>> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return Err(not_regular());
        }
        let length = match usize::try_from(metadata.len()) {
            Ok(length) if length <= MAX_BYTES => length,
            _ => return Err(too_large()),
        };
        self.take(metadata.len())?;
        // One byte more than the length, so that a single call reaches the end.
        let mut content = vec![0; length + 1];
        let filled = fill(file, &mut content, length)?;
        content.truncate(filled);
        Ok(content)
    }
}

/// The content of a file in a repository with this root and real root, of at most `longest` bytes.
pub fn read_in(root: &Path, real: &Path, path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    OsDisk::at(root, real).read_up_to(path, longest)
}

/// Reads a regular file of at most `most` bytes below a root, following no links.
///
/// # Errors
///
/// If it does not exist, cannot be read, is too large, or is not a regular file.
pub fn read_below(root: &Path, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    OsDisk::below(root).read_up_to(path, most)
}

/// Reads a regular file of the user's own, of at most `most` bytes. Follows links, because the user may have made them.
///
/// # Errors
///
/// If it does not exist, cannot be read, is too large, or is not a regular file.
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let path = fs::canonicalize(path)?;
    OsDisk::default().read_up_to(&path, most)
}

/// The path without `.` and `..`, resolved by spelling alone: what is written below a directory stays below it,
/// whatever is on disk.
#[must_use]
pub fn lexical(path: &Path) -> PathBuf {
    let mut spelled = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                spelled.pop();
            }
            part => spelled.push(part),
        }
    }
    spelled
}

/// Makes sure that a private file that was just created can be used again: the umask may forbid it, and root may have
/// created it for somebody else.
pub(super) fn make_usable(file: &File, path: &Path) -> io::Result<()> {
    match file.metadata()?.len() {
        0 => platform::set_mode(file, path, Mode::Private),
        _ => Ok(()),
    }
}

/// Creates a directory that can be used again: the umask may forbid it, and root may create it for somebody else. Then it
/// gets its name only once it is theirs, so that a crash does not lock them out.
pub(super) fn create_directory(path: &Path, mode: Mode) -> io::Result<()> {
    let make = |path: &Path| {
        let mut builder = DirBuilder::new();
        platform::directory_mode(&mut builder, mode);
        builder.create(path)
    };
    if !platform::creates_for_others(path) {
        make(path)?;
        return platform::set_directory_mode(path);
    }
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".ckpt-tmp");
    let temporary = path.with_file_name(name);
    // Left by a crash; it is empty.
    let _ = fs::remove_dir(&temporary);
    make(&temporary)?;
    let named =
        platform::set_directory_mode(&temporary).and_then(|()| {
            match platform::rename_new(&temporary, path) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    fs::rename(&temporary, path)
                }
                done => done,
            }
        });
    if named.is_err() {
        let _ = fs::remove_dir(&temporary);
    }
    named
}

pub(super) fn not_regular() -> io::Error {
    io::Error::other("it is not a regular file")
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MiB")
}

impl Disk for OsDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_regular(&self.open_for(path, Access::Read)?)
    }

    fn read_without_links(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        if self.root.is_none() {
            return Ok(None);
        }
        match self.open_for(path, Access::Read) {
            Ok(file) => self.read_regular(&file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        let budget = self.budget.clone();
        Ok(Box::new(platform::OpenDirectory::open(path, budget)?))
    }

    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>> {
        names_where(path, self.budget.as_deref(), fs::FileType::is_dir)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.file(self.open_for(path, Access::Read)?)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.file(self.open_for(path, Access::Append)?)
    }

    fn create(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        let file = self.open_for(path, Access::Create(mode))?;
        platform::set_mode(&file, path, mode)?;
        self.file(file)
    }

    fn create_whole(&self, path: &Path, bytes: &[u8], mode: Mode) -> io::Result<()> {
        let directory = path.parent().unwrap_or(path);
        let file = unnamed::unnamed(&self.real(directory), mode)?;
        platform::set_mode(&file, path, mode)?;
        (&file).write_all(bytes)?;
        file.sync_all()?;
        unnamed::name(&file, path)
    }

    fn create_directory(&self, path: &Path, mode: Mode) -> io::Result<()> {
        create_directory(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match platform::rename_new(from, to) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                match fs::symlink_metadata(to) {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => fs::rename(from, to),
                }
            }
            done => done,
        }
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        platform::exchange(one, other)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn make_private(&self, path: &Path) -> io::Result<()> {
        match self.open_for(path, Access::Read) {
            Ok(file) => platform::make_private(&file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.open_for(path, Access::Read)?.sync_all()
    }

    fn read_unless_written(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match Writers::of(self.open_for(path, Access::Read)?) {
            Writers::Some => Ok(None),
            Writers::None(lease) => self.read_regular(lease.file()).map(Some),
            Writers::Unknown(file) => self.read_regular(&file).map(Some),
        }
    }

    fn writers(&self, path: &Path) -> io::Result<Option<Writers>> {
        Ok(match Writers::of(self.open_for(path, Access::Read)?) {
            Writers::Unknown(_) => None,
            known => Some(known),
        })
    }

    fn age(&self, path: &Path) -> io::Result<Option<Duration>> {
        let written = fs::symlink_metadata(path)?.modified()?;
        // A time in the future says nothing.
        Ok(written.elapsed().ok())
    }

    fn stamp(&self, path: &Path) -> io::Result<Option<FileStamp>> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(metadata.is_file().then(|| FileStamp {
            identity: platform::identity(&metadata),
            length: metadata.len(),
            written: metadata.modified().ok(),
        }))
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        platform::sync_directory(path)
    }

    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                Ok(Some(FileKind::File(platform::standing(&metadata))))
            }
            Ok(metadata) if metadata.is_dir() => Ok(Some(FileKind::Directory)),
            Ok(metadata) if metadata.is_symlink() => Ok(Some(FileKind::Symlink)),
            Ok(_) => Ok(Some(FileKind::Other)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn is_locked(&self, path: &Path) -> io::Result<bool> {
        lock::is_held(path)
    }

    fn lock(&self, subject: Subject<'_>, wait: Duration, holder: &str) -> Result<Lock, LockError> {
        lock::acquire(subject, wait, holder)
    }
}

/// Where a file ends, if nobody has asked for its length.
const UNKNOWN: usize = usize::MAX;

/// Reads a newly opened file of about this length into the front of a buffer.
fn fill(mut file: impl Read, buffer: &mut Vec<u8>, length: usize) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        if buffer.len() == filled {
            buffer.resize(filled.max(READ_BLOCK) * 2, 0);
        }
        let count = file.read(&mut buffer[filled..])?;
        filled += count;
        if filled > MAX_BYTES {
            return Err(too_large());
        }
        // Before a bad block, the system returns what it has, and the error only on the next call.
        if count == 0 || filled < buffer.len() && filled >= length {
            return Ok(filled);
        }
    }
}

/// What a directory entry costs of the budget, in bytes: a few git objects can stand for millions of entries.
const ENTRY: u64 = 512;

fn names_in(path: &Path, budget: Option<&Budget>) -> io::Result<Vec<OsString>> {
    names_where(path, budget, |kind| kind.is_file() || kind.is_symlink())
}

fn names_where(
    path: &Path,
    budget: Option<&Budget>,
    wanted: impl Fn(&fs::FileType) -> bool,
) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        budget.map_or(Ok(()), |budget| budget.take(ENTRY))?;
        let entry = entry?;
        if wanted(&entry.file_type()?) {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

struct OsFile {
    file: File,
    budget: Option<Arc<Budget>>,
}

impl DiskFile for OsFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        // Syncs the data and the length; timestamps need not survive.
        self.file.sync_data()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if let Some(budget) = &self.budget {
            budget.take(buffer.len() as u64)?;
        }
        platform::read_exact_at(&self.file, buffer, offset)
    }
}

/// Options common to every open. A symbolic link in place of the file is an error.
fn options(access: Access) -> OpenOptions {
    let mut options = OpenOptions::new();
    match access {
        Access::Read => options.read(true),
        Access::Append => options.read(true).append(true),
        Access::Create(mode) => {
            platform::creation_mode(&mut options, mode);
            options.write(true).create(true).truncate(true)
        }
    };
    platform::refuse_symlink(&mut options);
    options
}

#[cfg(unix)]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use rustix::fs::{Mode as FileMode, OFlags, openat};

    use super::{
        Access, Budget, DiskDirectory, Mode, Standing, UNKNOWN, fill, names_in, not_regular,
        options,
    };

    /// Files are opened relative to the directory: resolving its path for each of ten thousand files would cost more
    /// than reading them.
    pub(super) struct OpenDirectory {
        path: PathBuf,
        handle: File,
        budget: Option<Arc<Budget>>,
    }

    impl OpenDirectory {
        pub(super) fn open(path: &Path, budget: Option<Arc<Budget>>) -> io::Result<Self> {
            Ok(Self {
                path: path.to_owned(),
                handle: File::open(path)?,
                budget,
            })
        }
    }

    impl DiskDirectory for OpenDirectory {
        fn names(&self) -> io::Result<Vec<OsString>> {
            names_in(&self.path, self.budget.as_deref())
        }

        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let file = File::from(openat(&self.handle, name, flags, FileMode::empty())?);
            if let Some(budget) = &self.budget {
                let metadata = file.metadata()?;
                if !metadata.is_file() {
                    return Err(not_regular());
                }
                budget.take(metadata.len())?;
            }
            fill(&file, buffer, UNKNOWN)
        }
    }

    pub(super) fn open(path: &Path, access: Access) -> io::Result<File> {
        options(access).open(path)
    }

    /// Opens a file whose path contains no symbolic link.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn open_without_links(path: &Path, access: Access) -> io::Result<File> {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        use rustix::io::Errno;

        let flags = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let (flags, mode) = match access {
            Access::Read => (flags | OFlags::RDONLY, FileMode::empty()),
            Access::Append => (flags | OFlags::RDWR | OFlags::APPEND, FileMode::empty()),
            Access::Create(mode) => {
                let bits = match mode {
                    Mode::Private => 0o600,
                    Mode::Umask => 0o666,
                    Mode::Like(standing) => standing.bits,
                };
                let flags = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
                (flags, FileMode::from_raw_mode(bits))
            }
        };
        match openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
            Ok(file) => Ok(file.into()),
            Err(Errno::LOOP) => Err(io::Error::other("there is a symbolic link in the path")),
            // The kernel is too old for this call, or a sandbox blocks it.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => open(path, access),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn open_without_links(path: &Path, access: Access) -> io::Result<File> {
        open(path, access)
    }

    pub(super) fn refuse_symlink(options: &mut OpenOptions) {
        #[cfg(target_vendor = "apple")]
        let flags = OFlags::NONBLOCK | OFlags::from_bits_retain(NOFOLLOW_ANY);
        #[cfg(not(target_vendor = "apple"))]
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }

    /// Apple's flag that makes a link anywhere in the path an error.
    #[cfg(target_vendor = "apple")]
    const NOFOLLOW_ANY: u32 = 0x2000_0000;

    pub(super) fn creation_mode(options: &mut OpenOptions, mode: Mode) {
        match mode {
            Mode::Private => drop(options.mode(0o600)),
            Mode::Umask => {}
            Mode::Like(standing) => drop(options.mode(standing.bits)),
        }
    }

    /// The umask may have removed bits that the replaced file had, or that we need. Root leaves a file to the owner of
    /// what it replaces, or else of the directory: otherwise the owner could not use it any more.
    pub(super) fn set_mode(file: &File, path: &Path, mode: Mode) -> io::Result<()> {
        match mode {
            Mode::Like(standing) => {
                give(file, standing.owner)?;
                file.set_permissions(Permissions::from_mode(standing.bits))
            }
            Mode::Private | Mode::Umask => {
                give_to_owner_of_directory(file, path)?;
                grant(file)
            }
        }
    }

    pub(super) fn set_directory_mode(path: &Path) -> io::Result<()> {
        const NEEDED: u32 = 0o700;
        let bits = path.symlink_metadata()?.mode() & 0o7777;
        if bits & NEEDED != NEEDED {
            allow(path, bits | NEEDED)?;
        }
        match rustix::process::geteuid().is_root() {
            true => give_to_owner_of_directory(&open_as_directory(path, OFlags::RDONLY)?, path),
            false => Ok(()),
        }
    }

    /// Opens a directory. Somebody may have put a link in its place since it was made, and whatever that leads to must
    /// not change hands.
    fn open_as_directory(path: &Path, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::open(path, flags, FileMode::empty())?;
        Ok(directory.into())
    }

    /// Sets the permissions of a directory that we may not even be allowed to read.
    #[cfg(target_os = "linux")]
    fn allow(path: &Path, bits: u32) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let directory = open_as_directory(path, OFlags::PATH)?;
        let itself = format!("/proc/self/fd/{}", directory.as_raw_fd());
        std::fs::set_permissions(itself, Permissions::from_mode(bits))
    }

    #[cfg(not(target_os = "linux"))]
    fn allow(path: &Path, bits: u32) -> io::Result<()> {
        std::fs::set_permissions(path, Permissions::from_mode(bits))
    }

    /// Lets the owner do what we need, whatever the umask says.
    fn grant(file: &File) -> io::Result<()> {
        const NEEDED: u32 = 0o600;
        let bits = file.metadata()?.mode() & 0o7777;
        match bits & NEEDED == NEEDED {
            true => Ok(()),
            false => file.set_permissions(Permissions::from_mode(bits | NEEDED)),
        }
    }

    /// Whether we are root, in a directory that belongs to somebody else.
    pub(super) fn creates_for_others(path: &Path) -> bool {
        let parent = path.parent().unwrap_or(path);
        rustix::process::geteuid().is_root()
            && parent
                .symlink_metadata()
                .is_ok_and(|found| (found.uid(), found.gid()) != (0, 0))
    }

    fn give_to_owner_of_directory(file: &File, path: &Path) -> io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let directory = path.parent().unwrap_or(path).symlink_metadata()?;
        give(file, Some((directory.uid(), directory.gid())))
    }

    fn give(file: &File, owner: Option<(u32, u32)>) -> io::Result<()> {
        let Some((user, group)) = owner else {
            return Ok(());
        };
        let present = file.metadata()?;
        if (present.uid(), present.gid()) == (user, group) {
            return Ok(());
        }
        match rustix::process::geteuid().is_root() {
            true => std::os::unix::fs::fchown(file, Some(user), Some(group)),
            // Others may hand a file to a group that they are in. If they are not, the file stays with their own group.
            false => {
                let _ = std::os::unix::fs::fchown(file, None, Some(group));
                Ok(())
            }
        }
    }

    pub(super) fn make_private(file: &File) -> io::Result<()> {
        let bits = file.metadata()?.mode() & 0o7777;
        match bits & 0o077 {
            0 => Ok(()),
            _ => file.set_permissions(Permissions::from_mode(bits & 0o700)),
        }
    }

    pub(super) fn directory_mode(builder: &mut DirBuilder, mode: Mode) {
        if mode == Mode::Private {
            builder.mode(0o700);
        }
    }

    pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
        (metadata.dev(), metadata.ino())
    }

    pub(super) fn standing(metadata: &Metadata) -> Standing {
        Standing {
            bits: metadata.mode() & 0o7777,
            owner: Some((metadata.uid(), metadata.gid())),
        }
    }

    pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        rename_with(one, other, rustix::fs::RenameFlags::EXCHANGE)
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
        rename_with(from, to, rustix::fs::RenameFlags::NOREPLACE)
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    fn rename_with(from: &Path, to: &Path, flags: rustix::fs::RenameFlags) -> io::Result<()> {
        use rustix::fs::{CWD, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, flags) {
            Ok(()) => Ok(()),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                Err(io::ErrorKind::Unsupported.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(super) fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(windows)]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use super::{Access, Budget, DiskDirectory, Mode, Standing, UNKNOWN, fill, names_in, options};

    pub(super) struct OpenDirectory(PathBuf, Option<Arc<Budget>>);

    impl OpenDirectory {
        pub(super) fn open(path: &Path, budget: Option<Arc<Budget>>) -> io::Result<Self> {
            Ok(Self(path.to_owned(), budget))
        }
    }

    impl DiskDirectory for OpenDirectory {
        fn names(&self) -> io::Result<Vec<OsString>> {
            names_in(&self.0, self.1.as_deref())
        }

        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
            let file = File::open(self.0.join(name))?;
            if let Some(budget) = &self.1 {
                budget.take(file.metadata()?.len())?;
            }
            fill(&file, buffer, UNKNOWN)
        }
    }

    pub(super) fn open(path: &Path, access: Access) -> io::Result<File> {
        options(access).open(path)
    }

    pub(super) fn open_without_links(path: &Path, access: Access) -> io::Result<File> {
        open(path, access)
    }

    pub(super) fn refuse_symlink(_options: &mut OpenOptions) {}

    pub(super) fn creation_mode(_options: &mut OpenOptions, _mode: Mode) {}

    pub(super) fn set_mode(_file: &File, _path: &Path, _mode: Mode) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn set_directory_mode(_path: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn creates_for_others(_path: &Path) -> bool {
        false
    }

    pub(super) fn make_private(_file: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn directory_mode(_builder: &mut DirBuilder, _mode: Mode) {}

    /// The system does not tell them apart, so nothing that a crash left is taken for somebody's text.
    pub(super) fn identity(_metadata: &Metadata) -> (u64, u64) {
        (0, 0)
    }

    pub(super) fn standing(_metadata: &Metadata) -> Standing {
        Standing {
            bits: 0,
            owner: None,
        }
    }

    pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn rename_new(_from: &Path, _to: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Windows cannot sync a directory; the rename itself is written through.
    pub(super) fn sync_directory(_path: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn read_exact_at(
        file: &File,
        mut buffer: &mut [u8],
        mut offset: u64,
    ) -> io::Result<()> {
        while !buffer.is_empty() {
            let count = file.seek_read(buffer, offset)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            buffer = &mut buffer[count..];
            offset += count as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
