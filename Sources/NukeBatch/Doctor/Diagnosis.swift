import Files
import Foundation
import JobStorage
import Nuke

/// What `doctor` finds: the libraries, the machine, and of a job its state and its cache; all keys are always there in JSON.
public struct Diagnosis: Sendable, Encodable {
    /// How serious a finding is.
    public enum Verdict: String, Sendable, Encodable {
        /// As it should be.
        case ok
        /// Worth knowing.
        case note
        /// It will be in the way of a run.
        case trouble
    }

    /// One finding.
    public struct Finding: Sendable, Encodable {
        /// What was looked at, such as `state`.
        public let subject: String
        /// How serious it is.
        public let verdict: Verdict
        /// What was found, in a sentence.
        public let message: String
        /// What to do about it.
        @Nullable public internal(set) var remedy: String?

        init(_ subject: String, _ verdict: Verdict, _ message: String, remedy: String? = nil) {
            (self.subject, self.verdict, self.message) = (subject, verdict, message)
            self.remedy = remedy
        }
    }

    /// In the order of the looking.
    public let findings: [Finding]

    /// Whether something will be in the way of a run.
    public var hasTrouble: Bool {
        findings.contains { $0.verdict == .trouble }
    }

    /// Looks at the machine and, where there is a manifest, at its job; changes nothing.
    public init(_ manifest: Manifest? = nil, options: RunOptions = RunOptions()) {
        var findings = LibraryFindings.all + [Self.descriptors(manifest)]
        if let manifest {
            findings += Self.state(manifest, options) + [Self.cache(manifest)] + Self.space(manifest, options)
        }
        self.findings = findings
    }

    private static func descriptors(_ manifest: Manifest?) -> Finding {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return Finding("open files", .note, "the limit cannot be read")
        }
        // A transfer takes a socket, and its connection stays open for the next one; the rest is files.
        let needed = 2 * (manifest?.loading.concurrency ?? 16) + 64
        let isEnough = limit.rlim_cur >= UInt(needed)
        let message = "\(limit.rlim_cur) may be open, a run needs up to \(needed)"
        return Finding(
            "open files",
            isEnough ? .ok : .trouble,
            message,
            remedy: isEnough ? nil : "ulimit -n \(needed), or a lower loading.concurrency"
        )
    }

    private static func state(_ manifest: Manifest, _ options: RunOptions) -> [Finding] {
        let path = options.statePath(of: manifest)
        guard let found = StateInspection(path: path) else {
            return [Finding("state", .ok, "\(path) is not there: the job was never run")]
        }
        var findings: [Finding] = []
        if found.damage.isEmpty {
            let size = RunReport.size(found.bytes + found.logBytes)
            findings.append(Finding("state", .ok, "\(path) is whole (\(size), schema \(found.version ?? 0))"))
        } else {
            findings.append(
                Finding(
                    "state",
                    .trouble,
                    "\(path) is damaged: \(found.damage.joined(separator: "; "))",
                    remedy: "nuke-batch doctor \(Shell.quoted(manifest.path)) --rebuild"
                )
            )
        }
        if let version = found.version, version > found.knownVersion {
            let message = "its schema \(version) is of a later release, this one knows \(found.knownVersion)"
            findings.append(Finding("state", .trouble, message, remedy: "use that release"))
        }
        if found.folderPermissions & 0o022 != 0 {
            let folder = (path as NSString).deletingLastPathComponent
            findings.append(
                Finding(
                    "state",
                    .trouble,
                    "others may write in \(folder)",
                    remedy: "chmod go-w \(Shell.quoted(folder))"
                )
            )
        }
        if found.permissions & 0o077 != 0 {
            findings.append(Finding("state", .note, "others may read it; the next run takes that right away"))
        }
        if let holder = found.holder {
            let process = holder == 0 ? "another process" : "process \(holder)"
            findings.append(Finding("lock", .note, "\(process) holds the job"))
        } else {
            findings.append(Finding("lock", .ok, "no run holds the job"))
        }
        return findings
    }

    private static func cache(_ manifest: Manifest) -> Finding {
        let folder = manifest.cache.directory
        guard manifest.cache.policy == .storeOriginalData else {
            return Finding("cache", .ok, "the manifest keeps no originals")
        }
        guard FileManager.default.fileExists(atPath: folder) else {
            return Finding("cache", .ok, "\(folder) is not there yet")
        }
        do {
            let cache = try DataCache(path: URL(fileURLWithPath: folder, isDirectory: true))
            defer { cache.close() }
            let limit = manifest.cache.sizeLimit
            let message =
                "\(folder) has \(ProgressLine.grouped(cache.totalCount)) originals, \(RunReport.size(cache.totalSize)) of "
                + RunReport.size(limit)
            return Finding("cache", cache.errorCount == 0 ? .ok : .note, message)
        } catch {
            return Finding(
                "cache",
                .trouble,
                "\(folder) cannot be opened: \(error)",
                remedy:
                    "make it readable, or name another with cache.directory; it may be removed, and is filled anew"
            )
        }
    }

    /// The room on the disks of the state, the cache and the destination.
    private static func space(_ manifest: Manifest, _ options: RunOptions) -> [Finding] {
        let folders = [
            ("state", (options.statePath(of: manifest) as NSString).deletingLastPathComponent),
            ("cache", manifest.cache.directory), ("destination", manifest.destinationPath),
        ]
        return folders.map { name, folder in
            // A folder that is yet to be made takes its room where it will be.
            var place = folder
            while !FileManager.default.fileExists(atPath: place), place != "/", !place.isEmpty {
                place = (place as NSString).deletingLastPathComponent
            }
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: place)
            guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue else {
                return Finding("disk", .note, "the room for the \(name) (\(folder)) cannot be told")
            }
            let canWrite = FileManager.default.isWritableFile(atPath: place)
            let message = "\(RunReport.size(free)) are free for the \(name) (\(folder))"
            guard canWrite else {
                return Finding(
                    "disk",
                    .trouble,
                    "\(place) may not be written in",
                    remedy: "give the right to it"
                )
            }
            return Finding("disk", free < 1_000_000_000 ? .note : .ok, message)
        }
    }
}
