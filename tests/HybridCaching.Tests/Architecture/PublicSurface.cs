using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace HybridCaching.Tests.Architecture;

/// <summary>The public surface of an assembly as sorted lines, one per type and member, each starting with the full name of its type.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext Nullability = new();

    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(char)] = "char",
        [typeof(byte)] = "byte",
        [typeof(short)] = "short",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(decimal)] = "decimal",
    };

    public static IReadOnlyList<string> Describe(Assembly assembly) => Describe(assembly.GetExportedTypes());

    public static IReadOnlyList<string> Describe(params Type[] types) =>
        [.. types.SelectMany(type => Members(type).Prepend(Header(type))).Order(StringComparer.Ordinal)];

    private static string Header(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsInterface: true } => "interface",
            { IsValueType: true } => type.IsDefined(typeof(IsReadOnlyAttribute)) ? "readonly struct" : "struct",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        var parents = type.IsEnum ? [] : type.GetInterfaces().Where(parent => parent.IsVisible).Select(parent => Name(parent)).Order(StringComparer.Ordinal).AsEnumerable();
        if (type is { IsClass: true, BaseType: { } parent } && parent != typeof(object)) parents = parents.Prepend(Name(parent));
        return $"{FullName(type)} : {string.Join(", ", parents.Prepend(kind))}{Constraints(type.GetGenericArguments())}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum) return Enum.GetNames(type).Select(name => $"{FullName(type)}.{name} = {Convert.ToInt64(Enum.Parse(type, name), CultureInfo.InvariantCulture)}");
        return type.GetConstructors(Declared).Where(IsVisible).Select(constructor => $"{FullName(type)}({Parameters(constructor)})")
            .Concat(type.GetFields(Declared).Where(IsVisible).Select(Field))
            .Concat(type.GetProperties(Declared).Where(property => property.GetAccessors(true).Any(IsVisible)).Select(Property))
            .Concat(type.GetEvents(Declared).Where(e => IsVisible(e.AddMethod!)).Select(e => $"{FullName(type)}.{e.Name} -> event {Name(e.EventHandlerType!)}"))
            .Concat(type.GetMethods(Declared).Where(method => IsVisible(method) && !IsAccessor(method) && !method.IsDefined(typeof(CompilerGeneratedAttribute))).Select(Method));
    }

    private static string Field(FieldInfo field)
    {
        string type = Name(field.FieldType, Nullability.Create(field));
        string name = $"{FullName(field.DeclaringType!)}.{field.Name}";
        return field.IsLiteral ? $"{name} = {Value(field.GetRawConstantValue(), field.FieldType)} -> const {type}" : $"{name} -> {Static(field.IsStatic)}{type}";
    }

    private static string Property(PropertyInfo property)
    {
        var accessors = property.GetAccessors(true).Where(IsVisible).Select(accessor => accessor == property.GetMethod ? "get" : IsInit(accessor) ? "init" : "set").Order();
        string index = property.GetIndexParameters() is { Length: > 0 } ? $"[{Parameters(property.GetMethod!)}]" : "";
        string isStatic = Static(property.GetAccessors(true)[0].IsStatic);
        return $"{FullName(property.DeclaringType!)}.{property.Name}{index} {{ {string.Join("; ", accessors)}; }} -> {isStatic}{Name(property.PropertyType, Nullability.Create(property))}";
    }

    private static string Method(MethodInfo method)
    {
        string generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(argument => argument.Name))}>" : "";
        string constraints = method.IsGenericMethod ? Constraints(method.GetGenericArguments()) : "";
        string result = Name(method.ReturnType, Nullability.Create(method.ReturnParameter));
        return $"{FullName(method.DeclaringType!)}.{method.Name}{generic}({Parameters(method)}){constraints} -> {Static(method.IsStatic)}{result}";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var nullability = Nullability.Create(parameter);
        string type = parameter.ParameterType.IsByRef ? Name(parameter.ParameterType.GetElementType()!, nullability) : Name(parameter.ParameterType, nullability);
        string passing = !parameter.ParameterType.IsByRef ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        string extends = parameter.Position == 0 && parameter.Member.IsDefined(typeof(ExtensionAttribute)) ? "this " : "";
        string fallback = parameter.HasDefaultValue ? $" = {Value(parameter.DefaultValue, parameter.ParameterType)}" : "";
        return $"{extends}{passing}{type} {parameter.Name}{fallback}";
    }

    private static string Value(object? value, Type type) => value switch
    {
        null => type.IsValueType && Nullable.GetUnderlyingType(type) is null ? "default" : "null",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string Constraints(Type[] parameters)
    {
        var clauses = from parameter in parameters
                      where parameter.IsGenericParameter
                      let constraints = string.Join(", ", ConstraintsOf(parameter))
                      where constraints.Length > 0
                      select $" where {parameter.Name} : {constraints}";
        return string.Concat(clauses);
    }

    private static IEnumerable<string> ConstraintsOf(Type parameter)
    {
        var flags = parameter.GenericParameterAttributes;
        bool isStruct = flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        if (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint)) yield return "class";
        if (isStruct) yield return parameter.CustomAttributes.Any(attribute => attribute.AttributeType.Name == "IsUnmanagedAttribute") ? "unmanaged" : "struct";
        foreach (var constraint in parameter.GetGenericParameterConstraints().Where(constraint => constraint != typeof(ValueType))) yield return Name(constraint);
        if (!isStruct && flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint)) yield return "new()";
    }

    private static string Name(Type type, NullabilityInfo? nullability = null)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying) return Name(underlying) + "?";
        string mark = !type.IsValueType && nullability?.ReadState == NullabilityState.Nullable ? "?" : "";
        if (type.IsByRef) return "ref " + Name(type.GetElementType()!, nullability);
        if (type.IsArray) return $"{Name(type.GetElementType()!, nullability?.ElementType)}[{new string(',', type.GetArrayRank() - 1)}]{mark}";
        if (type.IsPointer) return Name(type.GetElementType()!) + "*";
        if (type.IsGenericParameter) return type.Name;
        if (Keywords.TryGetValue(type, out string? keyword)) return keyword + mark;
        if (!type.IsGenericType) return Outer(type) + type.Name + mark;
        var arguments = type.GetGenericArguments().Select((argument, i) => Name(argument, nullability?.GenericTypeArguments.ElementAtOrDefault(i)));
        return $"{Outer(type)}{type.Name.Split('`')[0]}<{string.Join(", ", arguments)}>{mark}";
    }

    private static string Outer(Type type) => type.DeclaringType is { } outer ? Outer(outer) + outer.Name.Split('`')[0] + "." : "";

    private static string FullName(Type type) => $"{type.Namespace}.{Name(type)}";

    private static string Static(bool isStatic) => isStatic ? "static " : "";

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsVisible(FieldInfo field) => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly;

    private static bool IsAccessor(MethodInfo method) => method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static bool IsInit(MethodInfo setter) => setter.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));
}
