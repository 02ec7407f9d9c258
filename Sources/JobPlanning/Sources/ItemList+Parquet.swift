import Files
import Foundation
import Glibc
import JobManifest

/// Lists in Parquet: one file, or the files that a glob matches, in the order of their names.
extension ItemList {
    /// The files of the list, without those of `own`; `remote` are its objects, if it is in a store.
    ///
    /// A glob without a match has an error of its own.
    func parquetFiles(
        _ remote: [RemoteList] = [],
        own: OwnFiles?,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(SourceError) -> [ParquetFile] {
        guard location == nil else { return remote.map { ParquetFile($0) } }
        guard let glob else { return path.map { [ParquetFile(path: $0, name: name)] } ?? [] }
        var walk = try FileWalk(glob, own: own ?? OwnFiles(), isStopped: isStopped)
        var files: [ParquetFile] = []
        while let file = try walk.next() {
            if file.isOwn || file.isPassedOver { continue }
            guard file.path.isText else {
                throw SourceError(name, "matches \(file.path), whose name is not UTF-8: rename it")
            }
            let path = file.path.description
            let below = path.rest(behind: glob.root == "/" ? "/" : glob.root + "/") ?? path
            files.append(ParquetFile(path: path, name: fixedFolder + below))
        }
        guard !files.isEmpty else {
            throw SourceError(name, "matches no file: check the pattern and its folder")
        }
        return files
    }

    /// The part of the name of a glob that stands before its first wildcard, up to a slash.
    private var fixedFolder: String {
        let parts = name.parts(at: "/")
        let fixed = parts.prefix { !Glob.isWild(String($0)) }
        return fixed.map { $0 + "/" }.joined()
    }

    /// Returns the program, without which the list cannot be read.
    @discardableResult
    func requireParquetProgram() throws(SourceError) -> ParquetProgram {
        do throws(ParquetError) {
            return try ParquetProgram()
        } catch {
            throw SourceError(name, error.description)
        }
    }

    /// Checks that the program is there, that all files are Parquet, and that they have the columns that the manifest names;
    /// returns the path variables that all of them have.
    func checkedParquetColumns() throws(SourceError) -> [String] {
        let program = try requireParquetProgram()
        let files = try parquetFiles(own: nil)
        let text: Data
        do throws(ParquetError) {
            text = try program.output(of: ["columns"], files: files.map(\.path))
        } catch {
            let file = files.first { error.description.utf8.starts(with: "\($0.path): ".utf8) }
            throw file?.error(error) ?? SourceError(name, error.description)
        }
        let described = text.lines.map {
            (try? JSONDecoder().decode(Description.self, from: Data($0)))?.columns ?? []
        }
        var common: [String]?
        for (file, names) in zip(files, described) {
            do {
                let variables = try RowColumns(names, meaning: columns).variableNames
                common = common?.filter(variables.contains) ?? variables
            } catch {
                throw SourceError(file.name, error.message)
            }
        }
        return common ?? []
    }

    private struct Description: Decodable {
        let columns: [String]
    }
}
