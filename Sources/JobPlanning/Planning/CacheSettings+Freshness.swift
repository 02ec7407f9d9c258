package import Foundation
package import JobManifest
package import Originals

extension CacheSettings {
    /// Returns true if the origin of an original must be asked at `now` before the cached bytes are used.
    ///
    /// `listed` is the validator by which a listing has just told of the object: it decides alone where it can. Ages count
    /// from the start of the one of `runs` that asked.
    package func mustAsk(
        _ known: DataCache.Metadata,
        listed: String?,
        at now: Date,
        runs: RunTimes = RunTimes()
    ) -> Bool {
        if let isCurrent = listed.flatMap({ ObjectValidator.isCurrent(known.etag, by: $0) }) {
            return !isCurrent
        }
        return asksAgain && mustAsk(known, at: now, runs: runs)
    }

    /// True if the origin of an original must be asked at `now` before the cached bytes are used.
    package func mustAsk(_ known: DataCache.Metadata, at now: Date, runs: RunTimes = RunTimes()) -> Bool {
        if let maxAge, let answered = known.answered ?? known.created {
            let age = now.timeIntervalSince(runs.start(ofRunAt: answered))
            // A clock that was set back makes nothing younger than it is.
            if abs(age) > RunTimes.forgiving(maxAge) / .seconds(1) { return true }
        }
        switch revalidate {
        case .never: return false
        case .stale: return !known.isFresh(at: now)
        case .always: return true
        }
    }
}
