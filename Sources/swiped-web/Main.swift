import ProgramSupport

@main
enum Main {
    static func main() { ServiceProgram.run(SwipedWebCommand.line, SwipedWebCommand.run) }
}
