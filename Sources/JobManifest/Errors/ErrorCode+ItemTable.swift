extension ErrorCode {
    /// The rows of errors that occur before or after a transfer.
    var requestEntry: Entry {
        switch self {
        case .tooLarge:
            Entry(
                name: "too_large",
                recovery: .permanent,
                meaning: "The file has more bytes than loading.maxBytes allows.",
                remedy: "Raise loading.maxBytes if the size is right.",
                origin: "libcurl 63; file sizes"
            )
        case .badURL:
            Entry(
                name: "bad_url",
                recovery: .permanent,
                meaning:
                    "The row has no URL that a browser would take, or a name that is not UTF-8 is needed in a path.",
                remedy: "Correct the row.",
                origin: "planning; redirects; libcurl 3"
            )
        case .scheme:
            Entry(
                name: "scheme",
                recovery: .permanent,
                meaning: "network.schemes does not allow the URL's scheme.",
                remedy: "Add the scheme to network.schemes, or correct the URL.",
                origin: "planning; redirects"
            )
        case .address:
            Entry(
                name: "address",
                recovery: .permanent,
                meaning: "The manifest does not allow the host's address or the file's folder.",
                remedy: "Add the address to network.allow, or the folder to network.fileRoots.",
                origin: "address policy; EACCES, EPERM"
            )
        case .notFound:
            Entry(
                name: "not_found",
                recovery: .permanent,
                meaning: "The file does not exist.",
                remedy: "Correct the path, or put the file back.",
                origin: "ENOENT; libcurl 9, 19, 67, 78"
            )
        case .archived:
            Entry(
                name: "archived",
                recovery: .permanent,
                meaning: "The object is in a storage class that keeps it offline.",
                remedy: "Restore the object, or copy it to another storage class.",
                origin: "listings of buckets"
            )
        case .offline:
            Entry(
                name: "offline",
                recovery: .nextRun,
                meaning: "The original is not in the cache, and --offline forbids loading it.",
                remedy: "Run the job without --offline.",
                origin: "--offline"
            )
        case .local:
            Entry(
                name: "local",
                recovery: .stopsRun,
                meaning:
                    "Local problem: disk full, missing permissions, trouble with the destination, or out of memory or file descriptors.",
                remedy: "Fix the problem that the message names, and run the job again.",
                origin: "ENOSPC, EMFILE, ENOMEM and others; SQLite; libcurl 27"
            )
        default:
            Entry(
                name: "interrupted",
                recovery: .putBack,
                meaning: "The run was stopped.",
                remedy: "Run the job again.",
                origin: "signals; --max-duration"
            )
        }
    }

    /// The rows of errors of images and outputs.
    var imageEntry: Entry {
        switch self {
        case .wrongType:
            Entry(
                name: "wrong_type",
                recovery: .permanent,
                meaning:
                    "The file is not an image in a supported format, or its brightness is for HDR screens.",
                remedy:
                    "Correct the URL, set the key that the message names, or replace the file on the server.",
                origin: "decoders"
            )
        case .plugIn:
            Entry(
                name: "plug_in",
                recovery: .nextRun,
                meaning: "The plug-in for the image's format cannot be loaded or used.",
                remedy: "Install the package that the message names, and run the job again.",
                origin: "AVIF, JPEG XL, HEIC, TIFF and GIF in installed programs; librsvg"
            )
        case .corrupt:
            Entry(
                name: "corrupt",
                recovery: .permanent,
                meaning: "The image is damaged.",
                remedy: "Replace the file on the server.",
                origin: "decoders"
            )
        case .limits:
            Entry(
                name: "limits",
                recovery: .permanent,
                meaning: "The image exceeds a limit on pixels or memory.",
                remedy: "Raise the limit that the message names if the size is right.",
                origin: "image headers"
            )
        case .processing:
            Entry(
                name: "processing",
                recovery: .permanent,
                meaning: "The output cannot be made from this image, or not under this name.",
                remedy: "Change the output's processors, format or path as the message suggests.",
                origin: "processors and encoders; ELOOP, EXDEV, ENAMETOOLONG when writing"
            )
        case .collision:
            Entry(
                name: "collision",
                recovery: .permanent,
                meaning: "Another output has the same path, or one path is a folder of the other.",
                remedy:
                    "Give the output a path that is unique to each item, for example with {id} or {index}.",
                origin:
                    "planning; writing, if the path has {hash}, {width} or another variable known only after loading; ENOTDIR, EISDIR"
            )
        default:
            Entry(
                name: "crashed",
                recovery: .quarantined,
                meaning: "The image crashed the process that decoded it.",
                remedy: "Inspect the original, which may be malicious, and update the image libraries.",
                origin: "signals; the sandboxed child process"
            )
        }
    }
}
