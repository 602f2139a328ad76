//! The real file system.

#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that touches files"
)]

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::{self, Lock, LockError};
use super::{Disk, DiskDirectory, DiskFile, FileKind, Mode};
use crate::document::MAX_BYTES;

/// Most documents fit into twice this.
const READ_BLOCK: usize = 8 * 1024;

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_regular(options().read(true).open(path)?)
    }

    fn read_without_links(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        match platform::open_without_links(path)? {
            Some(file) => read_regular(file).map(Some),
            None => Ok(None),
        }
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        Ok(Box::new(platform::OpenDirectory::open(path)?))
    }

    fn directories(&self, path: &Path) -> io::Result<Vec<OsString>> {
        names_where(path, fs::FileType::is_dir)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = options().read(true).open(path)?;
        Ok(Box::new(OsFile(file)))
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = options().read(true).append(true).open(path)?;
        Ok(Box::new(OsFile(file)))
    }

    fn create(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        let mut options = options();
        options.write(true).create(true).truncate(true);
        platform::creation_mode(&mut options, mode);
        let file = options.open(path)?;
        platform::set_mode(&file, mode)?;
        Ok(Box::new(OsFile(file)))
    }

    fn create_directory(&self, path: &Path, mode: Mode) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        platform::directory_mode(&mut builder, mode);
        builder.create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        platform::exchange(one, other)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        platform::sync_directory(path)
    }

    fn inspect(&self, path: &Path) -> io::Result<Option<FileKind>> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                Ok(Some(FileKind::File(platform::mode_of(&metadata))))
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

    fn lock(&self, path: &Path, wait: Duration, holder: &str) -> Result<Lock, LockError> {
        lock::acquire(path, wait, holder)
    }
}

/// Reads a file that a document may lie in. A pipe would keep us waiting, and an endless file would
/// fill the memory.
fn read_regular(file: File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let length = match usize::try_from(metadata.len()) {
        Ok(length) if length <= MAX_BYTES => length,
        _ => return Err(io::Error::other("it is larger than 64 MiB")),
    };
    // One more than there is, so that a single call shows the end.
    let mut content = vec![0; length + 1];
    let filled = fill(file, &mut content)?;
    content.truncate(filled);
    Ok(content)
}

/// Reads a file that was just opened into the front of a buffer.
fn fill(mut file: File, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        if buffer.len() == filled {
            buffer.resize(filled.max(READ_BLOCK) * 2, 0);
        }
        let count = file.read(&mut buffer[filled..])?;
        filled += count;
        if filled > MAX_BYTES {
            return Err(io::Error::other("it is larger than 64 MiB"));
        }
        // A regular file gives less than was asked for only at its end.
        if filled < buffer.len() {
            return Ok(filled);
        }
    }
}

fn names_in(path: &Path) -> io::Result<Vec<OsString>> {
    names_where(path, |kind| kind.is_file() || kind.is_symlink())
}

fn names_where(path: &Path, wanted: impl Fn(&fs::FileType) -> bool) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if wanted(&entry.file_type()?) {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

struct OsFile(File);

impl DiskFile for OsFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        // The data and the length: times need not survive.
        self.0.sync_data()
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        platform::read_exact_at(&self.0, buffer, offset)
    }
}

/// Options under which a symbolic link in the place of the file is an error: the store resolves
/// the links it allows before it opens anything.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
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

    use rustix::fs::{Mode as FileMode, OFlags, openat};

    use super::{DiskDirectory, Mode, fill, names_in};

    /// Files are opened relative to the directory: ten thousand times the way from the root to it
    /// would cost more than reading them.
    pub(super) struct OpenDirectory {
        path: PathBuf,
        handle: File,
    }

    impl OpenDirectory {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self {
                path: path.to_owned(),
                handle: File::open(path)?,
            })
        }
    }

    impl DiskDirectory for OpenDirectory {
        fn names(&self) -> io::Result<Vec<OsString>> {
            names_in(&self.path)
        }

        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let file = openat(&self.handle, name, flags, FileMode::empty())?;
            fill(file.into(), buffer)
        }
    }

    /// Opens a file if the system can see to it that no symbolic link leads there.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn open_without_links(path: &Path) -> io::Result<Option<File>> {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        use rustix::io::Errno;

        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        match openat2(
            CWD,
            path,
            flags,
            FileMode::empty(),
            ResolveFlags::NO_SYMLINKS,
        ) {
            Ok(file) => Ok(Some(file.into())),
            Err(error @ (Errno::NOENT | Errno::ACCESS)) => Err(error.into()),
            // There is a link, or the system is too old or not allowed to tell.
            Err(_) => Ok(None),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn open_without_links(_: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(super) fn refuse_symlink(options: &mut OpenOptions) {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }

    pub(super) fn creation_mode(options: &mut OpenOptions, mode: Mode) {
        match mode {
            Mode::Private => drop(options.mode(0o600)),
            Mode::Umask => {}
            Mode::Exactly(bits) => drop(options.mode(bits)),
        }
    }

    /// The umask may have taken bits away that the replaced file has.
    pub(super) fn set_mode(file: &File, mode: Mode) -> io::Result<()> {
        match mode {
            Mode::Exactly(bits) => file.set_permissions(Permissions::from_mode(bits)),
            Mode::Private | Mode::Umask => Ok(()),
        }
    }

    pub(super) fn directory_mode(builder: &mut DirBuilder, mode: Mode) {
        if mode == Mode::Private {
            builder.mode(0o700);
        }
    }

    pub(super) fn mode_of(metadata: &Metadata) -> u32 {
        metadata.mode() & 0o7777
    }

    pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        file.read_exact_at(buffer, offset)
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
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
}

#[cfg(windows)]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::{DirBuilder, File, Metadata, OpenOptions};
    use std::io;
    use std::os::windows::fs::FileExt;
    use std::path::{Path, PathBuf};

    use super::{DiskDirectory, Mode, fill, names_in};

    pub(super) struct OpenDirectory(PathBuf);

    impl OpenDirectory {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(path.to_owned()))
        }
    }

    impl DiskDirectory for OpenDirectory {
        fn names(&self) -> io::Result<Vec<OsString>> {
            names_in(&self.0)
        }

        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>) -> io::Result<usize> {
            fill(File::open(self.0.join(name))?, buffer)
        }
    }

    pub(super) fn open_without_links(_: &Path) -> io::Result<Option<File>> {
        Ok(None)
    }

    pub(super) fn refuse_symlink(_options: &mut OpenOptions) {}

    pub(super) fn creation_mode(_options: &mut OpenOptions, _mode: Mode) {}

    pub(super) fn set_mode(_file: &File, _mode: Mode) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn directory_mode(_builder: &mut DirBuilder, _mode: Mode) {}

    pub(super) fn mode_of(_metadata: &Metadata) -> u32 {
        0
    }

    pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A directory cannot be synced here: the rename itself is written through.
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
