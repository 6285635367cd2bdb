namespace HybridCaching.Tests.Architecture;

/// <summary>Who may know whom. Imports point to a higher level number; rooms on one level do not know each other.</summary>
internal static class ImportRules
{
    public const string Root = "HybridCaching";
    public const string Engine = "FASTER";

    /// <summary>By convention the home of registration methods, which are part of the root.</summary>
    public const string RegistrationNamespace = "Microsoft.Extensions.DependencyInjection";

    private static readonly Dictionary<string, int> Levels = new()
    {
        [""] = 0,
        ["Tiering"] = 1,
        ["SingleFlight"] = 1,
        ["Hosting"] = 1,
        ["HotTier"] = 2,
        ["Store"] = 2,
        ["Recovery"] = 2,
        ["Devices"] = 3,
        ["Records"] = 3,
        ["Configuration"] = 4,
        ["Diagnostics"] = 4,
    };

    private static readonly string[] BehindTheWall = ["Store", "Recovery", "Devices"];

    public static bool IsRoom(string name) => Levels.ContainsKey(name);

    /// <summary>The room that a namespace or a dotted name belongs to; "" is the root, null is not ours.</summary>
    public static string? RoomOf(string? name)
    {
        if (name is null) return null;
        if (name is Root or RegistrationNamespace) return "";
        string[] parts = name.Split('.');
        if (parts[0] != Root) return parts[0].Length > 0 && IsRoom(parts[0]) ? parts[0] : null;
        return IsRoom(parts[1]) ? parts[1] : "";
    }

    /// <summary>Why code in <paramref name="fromRoom"/> may not name <paramref name="target"/>, or null.</summary>
    public static string? Objection(string fromRoom, string target)
    {
        target = target.StartsWith("global::", StringComparison.Ordinal) ? target["global::".Length..] : target;
        if (target == Engine || target.StartsWith(Engine + ".", StringComparison.Ordinal))
        {
            return BehindTheWall.Contains(fromRoom) ? null : $"{Display(fromRoom)} is outside the wall and names {target}";
        }

        string? toRoom = RoomOf(target);
        if (toRoom is null or "" || toRoom == fromRoom) return null;
        if (Levels[toRoom] > Levels[fromRoom]) return null;
        return $"{Display(fromRoom)} names {target}, which is {(Levels[toRoom] == Levels[fromRoom] ? "on its own level" : "above it")}";
    }

    private static string Display(string room) => room.Length == 0 ? "the root" : room;
}
