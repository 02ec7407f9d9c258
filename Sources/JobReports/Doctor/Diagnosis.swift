import Files
import Foundation
public import JobManifest
public import JobPlanning
import JobStorage
import Originals

/// The findings of `doctor`: libraries, machine, state and cache.
///
/// In JSON, all keys are always present.
public struct Diagnosis: Sendable, Encodable {
    /// The severity of a finding.
    public enum Verdict: String, Sendable, Encodable {
        /// No problem.
        case ok
        /// Worth knowing, but harmless.
        case note
        /// A problem that will prevent a run.
        case trouble
    }

    /// One finding.
    public struct Finding: Sendable, Encodable {
        /// The subject, such as `state`.
        public let subject: String
        /// The severity.
        public let verdict: Verdict
        /// The finding, one sentence.
        public let message: String
        /// The remedy.
        @Nullable public package(set) var remedy: String?

        init(_ subject: String, _ verdict: Verdict, message: String, remedy: String? = nil) {
            (self.subject, self.verdict, self.message) = (subject, verdict, message)
            self.remedy = remedy
        }
    }

    /// The findings, in the order of the checks.
    public let findings: [Finding]

    /// True if a finding will prevent a run.
    public var hasTrouble: Bool { findings.contains { $0.verdict == .trouble } }

    /// Checks the machine and, with a manifest, its job.
    ///
    /// Each bucket of a source gets one request, for one key. That of the destination gets a small object for a moment, which shows how it answers conditional requests.
    public init(_ manifest: Manifest? = nil, options: RunOptions = RunOptions()) async {
        var findings =
            LibraryFindings.all + [
                Self.parquet(manifest), Self.sandbox, Self.descriptors(manifest),
                CertificateFinding(manifest: manifest, options: options).finding(),
            ]
        if let manifest {
            findings += Self.state(manifest, options) + [Self.cache(manifest)] + Self.space(manifest, options)
            findings += await SourceFindings(manifest: manifest).all()
            findings += await BucketFindings(manifest: manifest, options: options).all()
        }
        self.findings = findings
    }

    /// The versions of the program that reads and writes Parquet; trouble if the job needs it and it does not work.
    private static func parquet(_ manifest: Manifest?) -> Finding {
        do throws(ParquetError) {
            let versions = try ParquetProgram().versions()
            return Finding("parquet", .ok, message: versions.joined(separator: ", "))
        } catch {
            let lists = manifest?.sources ?? []
            let isNeeded =
                manifest?.dataset?.needsParquet == true
                || lists.contains {
                    if case .list(let list) = $0.kind { list.format == .parquet } else { false }
                }
            return Finding(
                "parquet",
                isNeeded ? .trouble : .note,
                message: isNeeded
                    ? "\(error)" : "nuke-batch-parquet is not installed; it is needed for Parquet only",
                remedy: ParquetProgram.installation
            )
        }
    }

    /// The sandbox of the child processes in which suspect images and Parquet files are read.
    private static var sandbox: Finding {
        let support = SandboxSupport.ofMachine
        let isWhole = support.landlock == .available && support.filters == .available
        return Finding("sandbox", isWhole ? .ok : .note, message: support.description, remedy: support.remedy)
    }

    private static func descriptors(_ manifest: Manifest?) -> Finding {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return Finding("open files", .note, message: "the limit cannot be read")
        }
        // Each transfer needs a socket, and its connection stays open for the next one; the other descriptors are
        // files.
        let needed = 2 * (manifest?.loading.concurrency ?? 16) + 64
        let isEnough = limit.rlim_cur >= UInt(needed)
        let message = "the limit is \(limit.rlim_cur); a run needs up to \(needed)"
        return Finding(
            "open files",
            isEnough ? .ok : .trouble,
            message: message,
            remedy: isEnough ? nil : "run ulimit -n \(needed), or lower loading.concurrency"
        )
    }

    private static func state(_ manifest: Manifest, _ options: RunOptions) -> [Finding] {
        let path = options.statePath(of: manifest)
        let inspection: StateInspection?
        do throws(JobStoreError) { inspection = try StateInspection(path: path) } catch {
            // Nothing says that it is damaged: a rebuild would replace what may be whole.
            return [Finding("state", .trouble, message: "\(error)")]
        }
        guard let found = inspection else {
            return [Finding("state", .ok, message: "\(path) does not exist: the job was never run")]
        }
        var findings: [Finding] = []
        if found.damage.isEmpty {
            let size = Quantity.bytes(found.bytes + found.logBytes)
            findings.append(
                Finding("state", .ok, message: "\(path) is intact (\(size), schema \(found.version ?? 0))")
            )
        } else {
            findings.append(
                Finding(
                    "state",
                    .trouble,
                    message: "\(path) is damaged: \(found.damage.joined(separator: "; "))",
                    remedy: NextCommands(manifestPath: manifest.path, options: options).rebuild
                )
            )
        }
        if let version = found.version, version > found.knownVersion {
            let message =
                "schema \(version) is of a later release; this release supports \(found.knownVersion)"
            findings.append(Finding("state", .trouble, message: message, remedy: "use the later release"))
        }
        if found.folderPermissions & 0o022 != 0 {
            let folder = Folder.enclosing(path)
            findings.append(
                Finding(
                    "state",
                    .trouble,
                    message: "other users can write to \(folder)",
                    remedy: "chmod go-w \(Shell.quoted(folder))"
                )
            )
        }
        if found.permissions & 0o077 != 0 {
            findings.append(
                Finding(
                    "state",
                    .note,
                    message: "other users can read it; the next run removes that permission"
                )
            )
        }
        if let holder = found.holder {
            let process = holder == 0 ? "another process" : "process \(holder)"
            findings.append(Finding("lock", .note, message: "\(process) holds the job"))
        } else {
            findings.append(Finding("lock", .ok, message: "no run holds the job"))
        }
        return findings
    }

    private static func cache(_ manifest: Manifest) -> Finding {
        let folder = manifest.cache.directory
        guard manifest.cache.policy == .storeOriginalData else {
            return Finding("cache", .ok, message: "cache.policy is none: originals are not cached")
        }
        do throws(RunError) {
            guard let cache = try DataCache.existing(in: folder) else {
                return Finding("cache", .ok, message: "\(folder) does not exist yet")
            }
            defer { cache.close() }
            let limit = manifest.cache.sizeLimit
            let message =
                "\(folder) has \(Quantity.count(cache.totalCount, "original")) (\(Quantity.bytes(cache.totalSize)) of "
                + "\(Quantity.bytes(limit)))"
            return Finding("cache", cache.errorCount == 0 ? .ok : .note, message: message)
        } catch {
            return Finding(
                "cache",
                .trouble,
                message: error.description,
                remedy:
                    "or name another folder with cache.directory"
            )
        }
    }

    /// The free space on the disks of the state, the cache and the destination.
    private static func space(_ manifest: Manifest, _ options: RunOptions) -> [Finding] {
        let places: [(String, String?)] = [
            ("state", Folder.enclosing(options.statePath(of: manifest))),
            ("cache", manifest.cache.directory), ("destination", manifest.destination.folder),
        ]
        let folders = places.compactMap { name, folder in folder.map { (name, $0) } }
        return folders.map { name, folder in
            do throws(FileError) {
                return try space(name, folder)
            } catch {
                return Finding(
                    "disk",
                    .trouble,
                    message: "the folder for the \(name) cannot be used: \(error)"
                )
            }
        }
    }

    private static func space(_ name: String, _ folder: String) throws(FileError) -> Finding {
        // A missing folder will be created in its nearest existing parent.
        var parent = folder
        while try Presence.status(of: parent) == nil, parent != "/", parent != "." {
            parent = Folder.enclosing(parent)
        }
        // Also where something else stands in the place of the folder.
        _ = try Folder(path: parent)
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: parent)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue else {
            return Finding("disk", .note, message: "the free space for the \(name) (\(folder)) is unknown")
        }
        guard FileManager.default.isWritableFile(atPath: parent) else {
            return Finding(
                "disk",
                .trouble,
                message: "\(parent) is not writable",
                remedy: "grant write permission"
            )
        }
        let message = "\(Quantity.bytes(free)) free for the \(name) (\(folder))"
        return Finding("disk", free < 1_000_000_000 ? .note : .ok, message: message)
    }
}
