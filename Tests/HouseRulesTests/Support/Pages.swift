import Foundation

/// The pages of the project.
enum Pages {
    static let pages = Tree.files.filter { $0.hasSuffix(".md") }
}
