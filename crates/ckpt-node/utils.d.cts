/** Read a text file; null if it does not exist or cannot be read. */
export function readFile(filePath: string): string | null;

/** Write a text file: all of it, or nothing. Creates its directory. */
export function writeFile(filePath: string, content: string): boolean;

/** Create a directory and those above it, if they do not exist. */
export function ensureDir(directory: string): boolean;

/** The root of the git repository of the working directory; null outside git. */
export function getGitRoot(): string | null;

/** The directory of command checkpoints. It may not exist yet. */
export function getStateDir(): string;

/** Report an error in one line on standard error. */
export function logError(message: string, error?: unknown): void;
