import Files
import Foundation
import Testing

@Suite struct FileErrorTests {
    @Test("a message names the operation, the path, the reason and the remedy")
    func messages() {
        #expect(
            FileError("write", "/x/y", code: ENOSPC).description
                == "cannot write /x/y: No space left on device; free some space and run again"
        )
        #expect(
            FileError("open", "z", code: ENOENT).description == "cannot open z: No such file or directory"
        )
        for (code, remedy) in [
            (EDQUOT, "free some space"), (EMFILE, "ulimit -n"), (ENFILE, "ulimit -n"),
            (EACCES, "check the permissions"), (EPERM, "check the permissions"), (EROFS, "read-only"),
            (ELOOP, "symbolic links"), (EXDEV, "leaves its folder"), (ENOTDIR, "move it away"),
            (ENAMETOOLONG, "shorter"), (EIO, "check the disk"), (ENOLINK, "mount the disk"),
        ] {
            #expect(FileError("open", "z", code: code).description.contains(remedy), "\(code)")
        }
    }

    @Test("in a container, a refusal names the option that runs it as the folder's owner, and elsewhere not")
    func containers() {
        let isInContainer = ["/.dockerenv", "/run/.containerenv"].contains {
            FileManager.default.fileExists(atPath: $0)
        }
        let message = FileError("make", "/work/.nuke-batch", code: EACCES).description
        #expect(message.contains(#"-u "$(id -u):$(id -g)""#) == isInContainer)
    }

    @Test("only a name that is not there is missing")
    func missing() {
        #expect(FileError("open", "x", code: ENOENT).isMissing)
        #expect(!FileError("open", "x", code: ENOENT).isLocalTrouble)
    }

    @Test(
        "a local problem is told from a wrong path",
        arguments: [
            ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EACCES, EPERM, ESTALE, ENOTCONN, ETIMEDOUT,
            EBUSY, ENOLINK,
        ]
    )
    func local(code: Int32) {
        #expect(FileError("open", "x", code: code).isLocalTrouble)
        #expect(!FileError("open", "x", code: code).isMissing)
    }

    @Test("a wrong path is neither", arguments: [ENOTDIR, ELOOP, EXDEV, EEXIST, EISDIR, EFBIG])
    func neither(code: Int32) {
        #expect(!FileError("open", "x", code: code).isLocalTrouble)
        #expect(!FileError("open", "x", code: code).isMissing)
    }
}
