/// The permissions that new files and folders ask for.
///
/// The system withholds those of the process's umask, or those that the folder's default access list does not grant
/// (`umask(2)`, `acl(5)`); nothing here changes them afterwards.
public enum Permissions {
    /// The permissions of a file that everybody may read, within the umask (0666).
    public static let file: UInt32 = 0o666
    /// The permissions of a folder that everybody may enter, within the umask (0777).
    public static let folder: UInt32 = 0o777
    /// The permissions of a file for its owner alone, such as a state (0600).
    public static let privateFile: UInt32 = 0o600
    /// The permissions of a folder for its owner alone (0700).
    public static let privateFolder: UInt32 = 0o700
}
