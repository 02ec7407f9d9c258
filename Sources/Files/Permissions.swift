/// The permissions that new files and folders ask for.
///
/// The system withholds those of the process's umask, or those that the folder's default access list does not grant
/// (`umask(2)`, `acl(5)`); nothing here changes them afterwards.
public enum Permissions {
    /// The permissions of a file for everybody whom the user lets read it (0666).
    public static let file: UInt32 = 0o666
    /// The permissions of a folder for everybody whom the user lets into it (0777).
    public static let folder: UInt32 = 0o777
    /// The permissions of a file for its owner alone, such as a state (0600).
    public static let privateFile: UInt32 = 0o600
    /// The permissions of a folder for its owner alone (0700).
    public static let privateFolder: UInt32 = 0o700
}
